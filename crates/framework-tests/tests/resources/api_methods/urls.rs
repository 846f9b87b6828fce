//! URLs and endpoint names of resources and views.

use http::Method;
use model_resource::{Api, Context, LIST, ModelResource, Operations, Params, Result, model_resource, route};
use serde_json::{Value, json};
use test_support::TestApp;

use super::{DESK, Note, NoteResource, notes};

#[model_resource(Note, "/memos", "/memos/<int:id>", "/slips", "/drawers/slips/<int:id>")]
struct MemoResource;

struct ArchiveResource;

#[model_resource(Note, "/archive", "/archive/<int:id>")]
impl ModelResource for ArchiveResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST]);
}

#[model_resource(DESK, Note, "/papers", "/papers/<int:id>", endpoint = "papers")]
struct PaperResource;

#[model_resource(Note, "/inbox", "/inbox/<int:id>", methods = [PUT, GET])]
struct InboxResource;

#[model_resource(Note, "/outbox", "/outbox/<int:id>", methods = [HEAD, GET, POST])]
struct OutboxResource;

#[route("/ping")]
async fn ping(cx: Context) -> Value {
    json!({"path": cx.uri().path()})
}

#[route(DESK, "/lamp", "/lamps/<name>", methods = [GET, POST], endpoint = "light")]
async fn lamp(cx: Context, params: Params) -> Value {
    json!({"method": cx.method().as_str(), "name": params.get("name")})
}

#[route("/links")]
async fn links(cx: Context) -> Result<Value> {
    let paper = cx.url_for("papers", [("id", 7)])?;
    let all = cx.url_for("papers", [("", 0); 0])?;
    let light = cx.url_for("light", [("name", "a/b c")])?;
    Ok(json!([paper, all, light]))
}

/// REG-2: a resource with several collection and item URLs, and several resources of one model, serve the same rows.
#[tokio::test]
async fn several_urls_and_several_resources_serve_one_model() {
    let api = notes(Api::new("api"))
        .model_resource::<MemoResource>()
        .model_resource::<ArchiveResource>();
    let app = TestApp::with_api(api).await;
    for (id, collection) in [(1, "/notes"), (2, "/memos"), (3, "/slips")] {
        let created = app.post(collection, json!({"text": collection})).await;
        created.expect_json(201, json!({"id": id, "text": collection}));
    }
    let all = app.get("/notes").await.expect(200).json();
    assert_eq!(all.as_array().unwrap().len(), 3);
    for collection in ["/memos", "/slips", "/archive"] {
        app.get(collection).await.expect_json(200, all.clone());
    }
    for item in ["/notes/2", "/memos/2", "/drawers/slips/2"] {
        app.get(item).await.expect_json(200, all[1].clone());
    }
    app.patch("/drawers/slips/2", json!({"text": "changed"}))
        .await
        .expect(200);
    app.get("/memos/2")
        .await
        .expect_json(200, json!({"id": 2, "text": "changed"}));
    app.delete("/archive/2").await.expect(405);
    app.delete("/notes/2").await.expect(204);
    app.get("/drawers/slips/2").await.expect(404);
}

/// REG-3: the blueprint's prefix comes between the api's prefix and the URL.
#[tokio::test]
async fn the_blueprints_prefix_comes_between_the_apis_prefix_and_the_url() {
    let api = notes(Api::new("api").prefix("/api")).model_resource::<PaperResource>();
    let app = TestApp::with_api(api).await;
    let created = app
        .post("/api/desk/papers", json!({"text": "a"}))
        .await
        .expect(201);
    assert_eq!(created.header("location"), "/api/desk/papers/1");
    app.get("/api/desk/papers/1")
        .await
        .expect_json(200, json!({"id": 1, "text": "a"}));
    app.get("/api/notes/1").await.expect(200);
    for path in [
        "/api/papers",
        "/desk/papers",
        "/desk/api/papers",
        "/api/desk/notes",
    ] {
        app.get(path).await.expect(404);
    }
}

/// REG-9: a view function is served at api prefix, blueprint prefix if it has one, and path.
#[tokio::test]
async fn route_serves_a_view_function_at_prefixes_and_path() {
    let app = TestApp::with_api(Api::new("api").prefix("/api").route(ping).route(lamp)).await;
    app.get("/api/ping")
        .await
        .expect_json(200, json!({"path": "/api/ping"}));
    app.post("/api/desk/lamp", json!({}))
        .await
        .expect_json(200, json!({"method": "POST", "name": null}));
    app.get("/api/desk/lamps/tall")
        .await
        .expect_json(200, json!({"method": "GET", "name": "tall"}));
    for path in ["/ping", "/api/lamp", "/desk/lamp", "/api/desk/ping"] {
        app.get(path).await.expect(404);
    }
    let refused = app.post("/api/ping", json!({})).await.expect(405);
    assert_eq!(refused.header("allow"), "GET, HEAD, OPTIONS");
    app.delete("/api/desk/lamp").await.expect(405);
}

/// REG-10: `methods` restricts a resource to these methods: PUT creates without a parameter and updates with one.
#[tokio::test]
async fn the_option_methods_restricts_the_methods_of_a_resource() {
    let api = Api::new("api");
    let app = TestApp::with_api(api.model_resource::<InboxResource>()).await;
    app.put("/inbox", json!({"text": "a"}))
        .await
        .expect_json(201, json!({"id": 1, "text": "a"}));
    app.put("/inbox/1", json!({"text": "b"}))
        .await
        .expect_json(200, json!({"id": 1, "text": "b"}));
    for (method, path) in [
        (Method::POST, "/inbox"),
        (Method::PATCH, "/inbox/1"),
        (Method::DELETE, "/inbox/1"),
    ] {
        let refused = app.send_json(method.clone(), path, json!({"text": "c"})).await;
        assert_eq!(
            refused.expect(405).header("allow"),
            "PUT, GET, HEAD, OPTIONS",
            "{method}"
        );
    }
    app.head("/inbox/1").await.expect(200);
    app.get("/inbox")
        .await
        .expect_json(200, json!([{"id": 1, "text": "b"}]));
}

/// REG-10: HEAD may be listed beside GET. A method without an operation at an item URL is not served there.
#[tokio::test]
async fn listed_methods_without_an_operation_are_rejected() {
    let api = Api::new("api");
    let app = TestApp::with_api(api.model_resource::<OutboxResource>()).await;
    app.post("/outbox", json!({"text": "a"})).await.expect(201);
    assert_eq!(
        app.options("/outbox").await.header("allow"),
        "HEAD, GET, POST, OPTIONS"
    );
    let refused = app.post("/outbox/1", json!({"text": "b"})).await.expect(405);
    assert_eq!(refused.header("allow"), "HEAD, GET, OPTIONS");
    app.get("/outbox")
        .await
        .expect_json(200, json!([{"id": 1, "text": "a"}]));
}

/// REG-11: an endpoint is named after the resource or view, or by `endpoint`, and `url_for` builds its URLs.
#[tokio::test]
async fn url_for_builds_urls_from_endpoint_names() {
    let routes = || {
        notes(Api::new("api").prefix("/api"))
            .model_resource::<PaperResource>()
            .route(ping)
            .route(lamp)
            .route(links)
    };
    let api = routes().compile();
    let none = [("", ""); 0];
    assert_eq!(api.url_for("note_resource", [("id", 1)]).unwrap(), "/api/notes/1");
    assert_eq!(api.url_for("note_resource", none).unwrap(), "/api/notes");
    assert_eq!(api.url_for("ping", none).unwrap(), "/api/ping");
    assert!(
        api.url_for("lamp", none)
            .unwrap_err()
            .contains("no endpoint `lamp`")
    );
    assert!(
        api.url_for("papers", [("name", 1)])
            .unwrap_err()
            .contains("<int:id>")
    );
    assert!(api.url_for("papers", [("id", "x")]).unwrap_err().contains("`x`"));

    let app = TestApp::with_api(routes()).await;
    app.get("/api/links").await.expect_json(
        200,
        json!([
            "/api/desk/papers/7",
            "/api/desk/papers",
            "/api/desk/lamps/a%2Fb%20c"
        ]),
    );
}

/// REG-4: the attribute sets the model of a resource.
#[test]
fn the_attribute_sets_the_model_of_a_resource() {
    fn model_of<R: ModelResource>() -> &'static str {
        std::any::type_name::<R::Model>()
    }
    assert_eq!(model_of::<NoteResource>(), std::any::type_name::<Note>());
}
