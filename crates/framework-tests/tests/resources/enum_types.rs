//! Columns of enum types that PostgreSQL has by declaration of the model.

use http_body_util::BodyExt;
use model_resource::{
    Api, CREATE, ColumnEnum, Columns, Model, ModelResource, Operations, SqlDialect, model_resource,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Copy, PartialEq, ColumnEnum)]
#[column(postgres_type = "parcel state")]
enum State {
    Packed,
    Sent,
    #[column(name = "it's lost")]
    Lost,
}

#[derive(Debug, Clone, Model)]
#[model(
    table = "parcels",
    index(state),
    unique(label, before),
    check(state_is_known = Self::STATE.one_of([State::Packed, State::Sent, State::Lost]))
)]
struct Parcel {
    id: i64,
    #[column(default = "packed", transitions(Packed -> Sent, Sent -> Lost))]
    state: State,
    before: Option<State>,
    label: String,
}

struct ParcelResource;

#[model_resource(Parcel, "/parcels", "/parcels/<int:id>")]
impl ModelResource for ParcelResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
    const AGGREGATE: Columns<Parcel> = Columns::of(Parcel::STATE);
}

fn api() -> Api {
    Api::new("api").model_resource::<ParcelResource>()
}

/// Returns the keys of a list.
async fn found(app: &TestApp, query: &str) -> Vec<i64> {
    let list = app.get(&format!("/parcels?{query}")).await.expect(200).json();
    let rows = list.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_i64().unwrap()).collect()
}

/// MOD-16
#[tokio::test]
async fn the_table_has_the_type_and_lists_are_as_with_texts() {
    let app = TestApp::with_api(api()).await;
    if app.database().is_postgres() {
        app.database().execute(
            "DO $$ BEGIN ASSERT (SELECT count(*) = 2 FROM pg_attribute WHERE attrelid = 'parcels'::regclass
                AND atttypid = '\"parcel state\"'::regtype); END $$",
        );
    }
    app.store.verify(&[Parcel::table()]).await.unwrap();
    // Creating what exists changes nothing.
    app.store.create_tables(&[Parcel::table()]).await.unwrap();
    let parcels = json!([
        {"label": "a", "state": "sent"},
        {"label": "b", "before": "sent"},
        {"label": "c", "state": "it's lost", "before": "packed"},
    ]);
    app.post("/parcels", parcels).await.expect(201);
    for (query, keys) in [
        ("state=sent", &[1][..]),
        ("state[ne]=sent", &[2, 3]),
        ("state[in]=sent,it's lost", &[1, 3]),
        ("state[nin]=sent,packed", &[3]),
        ("state[gt]=it's lost", &[1, 2]),
        ("state[between]=it's lost,packed", &[2, 3]),
        ("before[isnull]=true", &[1]),
        ("before=packed", &[3]),
        ("sort=state", &[3, 2, 1]),
        ("sort=-state", &[1, 2, 3]),
        ("sort=before", &[3, 2, 1]),
    ] {
        assert_eq!(found(&app, &query.replace(' ', "%20")).await, keys, "{query}");
    }
    app.get("/parcels?state=gone").await.expect(400);
    let groups = app
        .get("/parcels?group=state&count&sort=state")
        .await
        .expect(200)
        .json();
    assert_eq!(groups[0]["state"], "it's lost", "{groups}");
}

/// MOD-16
#[tokio::test]
async fn writes_keep_their_transitions_and_uniqueness() {
    let app = TestApp::with_api(api()).await;
    let parcel = json!({"label": "a", "before": "sent"});
    app.post("/parcels", parcel.clone()).await.expect(201);
    app.post("/parcels", parcel).await.expect(400);
    let refused = app
        .patch("/parcels/1", json!({"state": "it's lost"}))
        .await
        .expect(400);
    assert!(refused.text().contains("only to: sent"), "{}", refused.text());
    let sent = app.patch("/parcels/1", json!({"state": "sent"})).await;
    assert_eq!(sent.expect(200).json()["state"], "sent");
    let emptied = app.patch("/parcels/1", json!({"before": null})).await;
    assert_eq!(emptied.expect(200).json()["before"], Value::Null);
    app.patch("/parcels/1", json!({"state": "gone"}))
        .await
        .expect(400);
}

/// MOD-16: equal values are found by the index of the type; its order is not that of lists.
#[tokio::test]
async fn a_filter_uses_the_index_of_the_type() {
    let app = TestApp::with_api(api()).await;
    let service = api().store(app.store.clone()).into_service();
    let explained = async |query: &str| {
        let url = format!("/parcels?{query}").parse().unwrap();
        let explained = service.explain(url).await.into_body();
        let explained = explained.collect().await.unwrap().to_bytes();
        serde_json::from_slice::<Value>(&explained).unwrap()
    };
    let unindexed = async |query: &str| explained(query).await["unindexed"].clone();
    for query in ["state=sent", "state[in]=sent,packed"] {
        let plan = explained(query).await;
        assert!(!plan["sql"].to_string().contains("::text"), "{plan}");
    }
    assert_eq!(unindexed("state=sent").await, json!([]));
    assert_eq!(unindexed("state[in]=sent,packed").await, json!([]));
    let by_order = unindexed("sort=state").await;
    let ranges = unindexed("state[gt]=packed").await;
    if app.database().is_postgres() {
        assert!(by_order[0].as_str().unwrap().contains("state"), "{by_order}");
        assert!(ranges[0].as_str().unwrap().contains("state"), "{ranges}");
    } else {
        assert_eq!((by_order, ranges), (json!([]), json!([])));
    }
}

#[derive(Debug, Clone, Model)]
#[model(table = "ordered_parcels", check(is_late = Self::STATE.gt(State::Packed)))]
#[allow(dead_code, reason = "only its table is looked at")]
struct OrderedParcel {
    id: i64,
    state: State,
}

/// MOD-16
#[tokio::test]
async fn constraints_about_the_order_are_rejected() {
    let app = TestApp::with_api(api()).await;
    let error = app
        .store
        .create_tables(&[OrderedParcel::table()])
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("about the order of `state`"),
        "{error}"
    );
}

/// MOD-16
#[test]
fn the_sql_of_the_table_creates_the_type_for_postgresql_alone() {
    let sql = SqlDialect::Postgres.create_table_sql(Parcel::table());
    assert!(
        sql.contains("CREATE TYPE \"parcel state\" AS ENUM (''packed'', ''sent'', ''it''''s lost'')"),
        "{sql}"
    );
    assert!(sql.contains("\"state\" \"parcel state\" NOT NULL"), "{sql}");
    assert!(
        !SqlDialect::Sqlite
            .create_table_sql(Parcel::table())
            .contains("parcel state")
    );
}
