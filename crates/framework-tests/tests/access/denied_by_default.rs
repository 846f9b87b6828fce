//! Writes are denied by default once the api has an authenticator.

use model_resource::{
    Api, CREATE, Context, DELETE, MethodDecorators, Model, ModelResource, Next, Operations, PATCH, Reply,
    Result, guard, model_resource,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "stones")]
struct Stone {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct SilentResource;

/// A resource without a policy or a guard.
#[model_resource(Stone, "/silent", "/silent/<int:id>")]
impl ModelResource for SilentResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
}

struct OwnResource;

/// A resource with a custom operation, without a policy or a guard.
#[model_resource(Stone, "/own")]
impl ModelResource for OwnResource {
    async fn create(cx: Context) -> Result<Reply> {
        Reply::json(&cx.caller().is_authenticated())
    }
}

struct PublicResource;

#[model_resource(Stone, "/public", "/public/<int:id>")]
impl ModelResource for PublicResource {
    const PUBLIC: bool = true;
}

/// A guard that permits everyone.
async fn somebody(cx: Context, next: Next) -> Result<Reply> {
    next.run(cx).await
}

struct DecoratedResource;

#[model_resource(Stone, "/decorated", "/decorated/<int:id>")]
impl ModelResource for DecoratedResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().guard(CREATE, somebody)
    }
}

fn api() -> Api {
    Api::new("stones")
        .model_resource::<SilentResource>()
        .model_resource::<OwnResource>()
        .model_resource::<PublicResource>()
        .model_resource::<DecoratedResource>()
}

/// POL-8: without an authenticator nothing is denied.
#[tokio::test]
async fn without_an_authenticator_everything_is_open() {
    let app = TestApp::with_api(api()).await;
    app.post("/silent", json!({"name": "a"})).await.expect(201);
    app.patch("/silent/1", json!({"name": "b"})).await.expect(200);
    app.delete("/silent?id=1").await.expect(204);
    app.post("/own", json!({"name": "a"})).await.expect(200);
    assert!(api().compile().public_writes().is_empty());
}

/// POL-8: single and bulk writes are denied, also by custom handlers; reads are permitted.
#[tokio::test]
async fn with_an_authenticator_writes_are_denied_by_default() {
    let app = TestApp::with_api(api().authenticator(HeaderAuthenticator)).await;
    app.post("/public", json!({"name": "a"})).await.expect(201);
    let before = app.database().rows();
    for (client, status) in [(app.client.clone(), 401), (app.as_caller("1"), 403)] {
        client.post("/silent", json!({"name": "b"})).await.expect(status);
        client
            .post("/silent", json!([{"name": "b"}]))
            .await
            .expect(status);
        client.put("/silent/1", json!({"name": "b"})).await.expect(status);
        client
            .patch("/silent/1", json!({"name": "b"}))
            .await
            .expect(status);
        client
            .patch("/silent", json!([{"id": 1, "name": "b"}]))
            .await
            .expect(status);
        client.delete("/silent/1").await.expect(status);
        client.delete("/silent?id=1").await.expect(status);
        client.delete("/decorated/1").await.expect(status);
        client.post("/own", json!({"name": "b"})).await.expect(status);
        client.get("/silent").await.expect(200);
        client.get("/silent/1").await.expect(200);
    }
    assert_eq!(app.database().rows(), before);
    app.post("/decorated", json!({"name": "b"})).await.expect(201);
    app.delete("/public/1").await.expect(204);
}

/// POL-8, SEC-32: guards of the whole api apply to every resource.
#[tokio::test]
async fn guards_of_the_api_permit_writes_too() {
    let app = TestApp::with_api(
        api()
            .decorator(guard(somebody))
            .authenticator(HeaderAuthenticator),
    )
    .await;
    app.post("/silent", json!({"name": "a"})).await.expect(201);
}

/// POL-8: an application can list its public writes for the operator.
#[test]
fn public_writes_can_be_listed() {
    let lines = api().authenticator(HeaderAuthenticator).compile().public_writes();
    let lines: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {}", line.method, line.url))
        .collect();
    let expected = [
        "POST /public",
        "PUT /public/<int:id>",
        "PATCH /public/<int:id>",
        "DELETE /public/<int:id>",
    ];
    assert_eq!(lines, expected);
}
