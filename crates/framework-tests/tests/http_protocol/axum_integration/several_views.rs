//! Several views at one URL, each for its own methods.

use http::{Method, StatusCode};
use model_resource::{Api, Cors, ModelResource, Operations, model_resource, route};
use serde_json::{Value, json};
use test_support::{TestApp, startup_errors};

use super::{Note, notes};

const PAGE: &str = "https://app.example";

#[route("/ping/<name>")]
async fn pinged() -> Value {
    json!("read")
}

#[route("/ping/<name>", methods = [POST, DELETE])]
async fn ping() -> (Value, StatusCode) {
    (json!("written"), StatusCode::ACCEPTED)
}

#[route("/ping/<name>", methods = [PUT, GET])]
async fn ping_again() -> Value {
    json!("again")
}

#[route("/ping/<other>", methods = [PUT])]
async fn ping_other() -> Value {
    json!("other")
}

#[route("/notes", methods = [PUT])]
async fn replace_notes() -> Value {
    json!("replaced")
}

#[route("/notes", methods = [POST])]
async fn add_note() -> Value {
    json!("added")
}

struct ReadNoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for ReadNoteResource {
    const INCLUDE_METHODS: Operations = Operations::of([model_resource::LIST, model_resource::GET]);
}

fn pings() -> Api {
    Api::new("api").route(pinged).route(ping)
}

/// REG-14: each method calls the view that declares it; HEAD calls the one for GET.
#[tokio::test]
async fn each_method_is_answered_by_its_own_view() {
    let app = TestApp::with_api(pings()).await;
    app.get("/ping/a").await.expect_json(200, json!("read"));
    app.post("/ping/a", json!({}))
        .await
        .expect_json(202, json!("written"));
    app.delete("/ping/a").await.expect_json(202, json!("written"));
    let head = app.head("/ping/a").await.expect(200);
    assert_eq!(head.header("content-length"), "6");
}

/// REG-14: `Allow` has the methods of all views, in responses to OPTIONS and in a 405.
#[tokio::test]
async fn allow_has_the_methods_of_all_views_at_a_url() {
    let app = TestApp::with_api(pings()).await;
    let allow = "GET, HEAD, POST, DELETE, OPTIONS";
    assert_eq!(app.options("/ping/a").await.expect(204).header("allow"), allow);
    let refused = app.put("/ping/a", json!({})).await.expect(405);
    assert_eq!(refused.header("allow"), allow);
    let message = json!({"message": "This URL does not take the HTTP method PUT."});
    assert_eq!(refused.json(), message);
}

/// REG-14: a CORS preflight returns the same methods.
#[tokio::test]
async fn a_preflight_returns_the_methods_of_all_views() {
    let app = TestApp::with_api(pings().cors(Cors::origins([PAGE]))).await;
    for method in ["GET", "POST", "DELETE"] {
        let page = app.with_header("origin", PAGE);
        let page = page.with_header("access-control-request-method", method);
        let answer = page.options("/ping/a").await.expect(204);
        let allowed = answer.header("access-control-allow-methods");
        assert!(allowed.split(", ").any(|allowed| allowed == method), "{allowed}");
    }
}

/// REG-14: the list of routes has a line for each method with its view.
#[tokio::test]
async fn the_list_of_routes_names_the_view_of_each_method() {
    let lines = pings().compile().routes();
    let lines: Vec<_> = lines
        .iter()
        .map(|line| (line.method.as_str(), line.handler.as_str()))
        .collect();
    let expected = [
        ("GET", "pinged"),
        ("HEAD", "pinged"),
        ("POST", "ping"),
        ("DELETE", "ping"),
    ];
    assert_eq!(lines, expected);
}

/// REG-14: two views for the same method are rejected at startup, and so are two names of one parameter.
#[tokio::test]
async fn views_that_answer_the_same_method_are_rejected() {
    let mistakes = startup_errors(pings().route(ping_again)).await;
    assert_eq!(
        mistakes,
        [
            "`/ping/<name>` is answered by pinged and by ping_again for GET: give each of them `methods = [..]` of its \
             own, or change one of the URLs"
        ]
    );
    let mistakes = startup_errors(pings().route(ping_other)).await;
    assert_eq!(
        mistakes,
        ["`/ping/<name>` and `/ping/<other>` take the same paths: change one of the URLs"]
    );
}

/// REG-14: a view may serve methods at a resource's URL that the resource does not support.
#[tokio::test]
async fn a_view_beside_a_resource_answers_other_methods() {
    let api = Api::new("api")
        .model_resource::<ReadNoteResource>()
        .route(replace_notes)
        .route(add_note);
    let app = TestApp::with_api(api).await;
    app.get("/notes").await.expect_json(200, json!([]));
    app.put("/notes", json!({}))
        .await
        .expect_json(200, json!("replaced"));
    app.post("/notes", json!({}))
        .await
        .expect_json(200, json!("added"));
    let refused = app.delete("/notes").await.expect(405);
    assert_eq!(refused.header("allow"), "GET, HEAD, PUT, POST, OPTIONS");
    let other = app.send(Method::TRACE, "/notes", None).await;
    assert_eq!(other.status, StatusCode::METHOD_NOT_ALLOWED);

    let mistakes = startup_errors(notes(Api::new("api")).route(add_note)).await;
    assert_eq!(
        mistakes,
        [
            "`/notes` is answered by default create and by add_note for POST: give each of them `methods = [..]` of its \
             own, or change one of the URLs"
        ]
    );
}
