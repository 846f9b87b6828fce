//! Deletions with `Prefer: return=representation`.

use model_resource::{
    Api, Model, ModelSerializer, SerializerFields, WrappedSerializer, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{Client, TestApp};
use tokio::task::JoinSet;

use super::seats;

fn preferring(app: &TestApp) -> Client {
    app.with_header("prefer", "return=representation")
}

/// END-9, END-11: other preferences are ignored.
#[tokio::test]
async fn other_preferences_are_ignored() {
    let app = seats().await;
    for (number, preference) in [
        (1, "return=minimal"),
        (2, "respond-async"),
        (3, "return=everything"),
    ] {
        app.post("/seats", json!({"number": number})).await.expect(201);
        let client = app.with_header("prefer", preference);
        let deleted = client.delete(&format!("/seats/{number}")).await.expect(204);
        assert_eq!(
            (deleted.body.len(), deleted.header("preference-applied")),
            (0, "")
        );
    }
}

/// END-11: of concurrent deletions of one object, only one returns it.
#[tokio::test]
async fn one_of_several_concurrent_deletions_returns_the_object() {
    let app = seats().await;
    app.post("/seats", json!({"number": 7, "guest": "Zoe"}))
        .await
        .expect(201);
    let mut deleting = JoinSet::new();
    for _ in 0..12 {
        let client = preferring(&app);
        deleting.spawn(async move { client.delete("/seats/7").await });
    }
    let answers = deleting.join_all().await;
    let shown: Vec<Value> = answers
        .iter()
        .filter(|answer| answer.status == 200)
        .map(|answer| answer.json())
        .collect();
    assert_eq!(shown, [json!({"number": 7, "guest": "Zoe"})]);
    assert!(
        answers
            .iter()
            .all(|answer| [200, 404].contains(&answer.status.as_u16()))
    );
}

#[derive(Debug, Clone, Model)]
struct Hall {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
struct Row {
    #[column(primary_key)]
    id: i64,
    #[column(references = Hall)]
    hall_id: i64,
}

struct HallSerializer;

#[serializer]
impl ModelSerializer for HallSerializer {
    type Model = Hall;
}

type RowSerializer = WrappedSerializer<BareRowSerializer>;

struct BareRowSerializer;

#[serializer]
impl ModelSerializer for BareRowSerializer {
    type Model = Row;

    fn fields(fields: SerializerFields<Row>) -> SerializerFields<Row> {
        fields
            .embed::<HallSerializer>("hall", Row::HALL_ID)
            .computed("label", |row: &Row| format!("row {}", row.id))
    }
}

#[model_resource(Hall, "/halls", "/halls/<int:id>")]
struct HallResource;

#[model_resource(Row, "/halls/<int:hall_id>/rows", "/halls/<int:hall_id>/rows/<int:id>")]
struct RowResource;

/// END-11: the object is dumped by its serializer, found only below its parents, and kept if it is referenced.
#[tokio::test]
async fn the_deleted_object_is_dumped_by_its_serializer() {
    let api = Api::new("halls")
        .serializer::<HallSerializer>()
        .model_resource::<HallResource>()
        .serializer::<RowSerializer>()
        .model_resource::<RowResource>();
    let app = TestApp::with_api(api).await;
    for name in ["large", "small"] {
        app.post("/halls", json!({"name": name})).await.expect(201);
    }
    app.post("/halls/1/rows", json!({"row": {}})).await.expect(201);
    let client = preferring(&app);
    client.delete("/halls/2/rows/1").await.expect(404);
    let refused = client.delete("/halls/1").await.expect(409);
    assert_eq!(refused.header("preference-applied"), "");
    let row = app.get("/halls/1/rows/1").await.expect(200).json();
    assert_eq!(row["row"]["hall"]["name"], "large");
    client.delete("/halls/1/rows/1").await.expect_json(200, row);
    app.get("/halls/1/rows/1").await.expect(404);
    client
        .delete("/halls/1")
        .await
        .expect_json(200, json!({"id": 1, "name": "large"}));
}
