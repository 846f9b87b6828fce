//! Public rows below hidden parents.

use model_resource::{
    Api, CREATE, Caller, DELETE, Model, ModelPolicy, ModelResource, Operations, PATCH, Where, model_resource,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "chests")]
struct Chest {
    #[column(primary_key)]
    id: i64,
    is_open: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "things")]
struct Thing {
    #[column(primary_key)]
    id: i64,
    #[column(references = Chest, on_delete = cascade)]
    chest_id: i64,
    name: String,
}

#[model_resource(Chest, "/chests", "/chests/<int:id>")]
struct ChestResource;

struct ThingResource;

/// A model without a policy.
#[model_resource(
    Thing,
    "/chests/<int:chest_id>/things",
    "/chests/<int:chest_id>/things/<int:id>"
)]
impl ModelResource for ThingResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
    const PUBLIC: bool = true;
}

struct ChestPolicy;

impl ModelPolicy for ChestPolicy {
    type Model = Chest;

    fn visible(caller: &Caller) -> Where<Chest> {
        if caller.is_authenticated() {
            Where::all()
        } else {
            Chest::IS_OPEN.eq(true)
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

/// POL-1: a row below a hidden parent is hidden, also by its own URL and without a policy of its own model.
#[tokio::test]
async fn a_row_below_a_hidden_parent_is_not_found() {
    let api = Api::new("chests")
        .policy::<ChestPolicy>()
        .model_resource::<ChestResource>()
        .model_resource::<ThingResource>()
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    let somebody = app.as_caller("1");
    for (id, is_open) in [(1, true), (2, false)] {
        somebody
            .post("/chests", json!({"isOpen": is_open}))
            .await
            .expect(201);
        let things = format!("/chests/{id}/things");
        somebody.post(&things, json!({"name": "ring"})).await.expect(201);
    }
    let before = app.database().rows();
    let missing = app.get("/chests/9/things/9").await.expect(404).body;
    let (hidden, shown) = ("/chests/2/things/2", "/chests/1/things/1");
    for answer in [
        app.get(hidden).await,
        app.put(hidden, json!({"name": "x"})).await,
        app.patch(hidden, json!({"name": "x"})).await,
        app.patch(hidden, json!({"nope": "x"})).await,
        app.delete(hidden).await,
        app.get("/chests/2/things").await,
        app.post("/chests/2/things", json!({"name": "x"})).await,
    ] {
        assert_eq!(answer.expect(404).body, missing);
    }
    app.patch("/chests/2/things", json!([{"id": 2, "name": "x"}]))
        .await
        .expect(404);
    app.delete("/chests/2/things?id=2").await.expect(404);
    assert_eq!(app.database().rows(), before);

    for (client, url) in [(&app.client, shown), (&somebody, hidden)] {
        client.get(url).await.expect(200);
        client.patch(url, json!({"name": "x"})).await.expect(200);
        client.put(url, json!({"name": "y"})).await.expect(200);
        client.delete(url).await.expect(204);
    }
}
