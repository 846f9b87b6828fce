//! Api constructor.

mod unprefixed;
mod urls;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use model_resource::{
    Api, Context, Decorator, Error, MethodDecorators, ModelResource, Next, Reply, Result, model_resource,
    route,
};
use serde_json::{Value, json};
use test_support::{Client, TestApp};

use crate::note::Note;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
struct NoteResource;

struct TracedResource;

#[model_resource(Note, "/traced", "/traced/<int:id>")]
impl ModelResource for TracedResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(trace("own"))
    }
}

#[route("/hello")]
async fn hello() -> Value {
    json!("hello")
}

#[route("/secret")]
async fn secret() -> Result<Reply> {
    Err(Error::unauthorized())
}

#[route("/secret-by-status")]
async fn secret_by_status() -> (Value, StatusCode) {
    (json!({"message": "Who are you?"}), StatusCode::UNAUTHORIZED)
}

#[route("/sold-out")]
async fn sold_out() -> Result<Reply> {
    Err(Error::named("SoldOut", StatusCode::CONFLICT, "All gone."))
}

/// Names of the decorators that the request has entered.
#[derive(Clone, Default)]
struct Entered(Vec<&'static str>);

/// Reports in `x-entered` the decorators entered before the handler, and in `x-left` those left after it.
fn trace(name: &'static str) -> impl Decorator {
    move |mut cx: Context, next: Next| async move {
        let mut entered = cx.extension::<Entered>().cloned().unwrap_or_default();
        entered.0.push(name);
        let way = HeaderValue::from_str(&entered.0.join(" ")).unwrap();
        cx.insert_extension(entered);
        let mut reply = next.run(cx).await?;
        reply.headers_mut().entry("x-entered").or_insert(way);
        reply
            .headers_mut()
            .append("x-left", HeaderValue::from_static(name));
        Ok(reply)
    }
}

fn plain(data: Value, status: StatusCode, headers: HeaderMap) -> Result<axum::response::Response> {
    Ok(axum::response::IntoResponse::into_response((
        status,
        headers,
        data.to_string(),
    )))
}

fn notes(api: Api) -> Api {
    api.model_resource::<NoteResource>().route(hello)
}

/// A surrounding application: a page, a 404 of its own, and a fallback.
fn site() -> Router {
    Router::new()
        .route("/page", get(|| async { Html("<p>page") }))
        .route("/gone", get(|| async { (StatusCode::NOT_FOUND, "sold") }))
        .fallback(|| async { (StatusCode::NOT_FOUND, "lost") })
}

async fn in_site(api: Api, site: Router) -> TestApp {
    let tables = api.tables();
    TestApp::with_router(&tables, |store| api.store(store).init_app(site)).await
}

async fn expect_nothing_stored(client: &Client, path: &str) {
    client.get(path).await.expect_json(200, json!([]));
}

/// API-2: only the name is required; everything else has a default.
#[tokio::test]
async fn an_api_needs_only_a_name() {
    let api = || notes(Api::new("plain")).route(secret).route(sold_out);
    let compiled = api().compile();
    assert_eq!(
        compiled.url_for("note_resource", [("id", 1)]).unwrap(),
        "/notes/1"
    );
    let automatic: Vec<_> = compiled
        .routes()
        .into_iter()
        .map(|line| line.decorators)
        .collect();
    assert!(automatic.contains(&vec!["list_loader"]), "{automatic:?}");

    let app = TestApp::with_api(api()).await;
    let listed = app
        .with_header("accept", "image/png")
        .get("/notes")
        .await
        .expect(200);
    assert_eq!(listed.header("content-type"), "application/json");

    app.get("/nowhere")
        .await
        .expect_json(404, json!({"message": "Not found."}));

    let refused = app.get("/secret").await.expect(401);
    assert_eq!(refused.header("www-authenticate"), "Bearer realm=\"plain\"");

    app.get("/sold-out")
        .await
        .expect_json(409, json!({"message": "All gone."}));
}

/// API-3: resources and view functions are served below the prefix only.
#[tokio::test]
async fn the_prefix_comes_before_every_url() {
    let app = TestApp::with_api(notes(Api::new("api").prefix("/api/v2"))).await;
    let created = app.post("/api/v2/notes", json!({"text": "a"})).await.expect(201);
    assert_eq!(created.header("location"), "/api/v2/notes/1");
    app.get("/api/v2/notes/1").await.expect(200);
    app.get("/api/v2/hello").await.expect_json(200, json!("hello"));
    for path in ["/notes", "/notes/1", "/hello"] {
        app.get(path).await.expect(404);
    }
}

/// API-4: routes of the router into which the api is mounted are still served.
#[tokio::test]
async fn init_app_keeps_the_routers_own_routes() {
    let app = in_site(notes(Api::new("api").prefix("/api")), site()).await;
    assert_eq!(app.get("/page").await.expect(200).text(), "<p>page");
    assert_eq!(app.get("/gone").await.expect(404).text(), "sold");
    app.post("/page", json!({})).await.expect(405);
    app.get("/api/hello").await.expect_json(200, json!("hello"));
    app.post("/api/notes", json!({"text": "a"})).await.expect(201);
}

/// API-4: setting the app while building is equivalent to `init_app`.
#[tokio::test]
async fn the_app_can_be_set_while_building() {
    let api = notes(Api::new("api").app(site()).prefix("/api"));
    let tables = api.tables();
    let app = TestApp::with_router(&tables, |store| api.store(store).into_router()).await;
    assert_eq!(app.get("/page").await.expect(200).text(), "<p>page");
    assert_eq!(app.get("/nowhere").await.expect(404).text(), "lost");
    app.post("/api/notes", json!({"text": "a"})).await.expect(201);
    app.get("/api/notes/1")
        .await
        .expect_json(200, json!({"id": 1, "text": "a"}));
}

/// API-5: a client that accepts no available media type gets the default media type.
#[tokio::test]
async fn a_client_that_accepts_no_available_media_type_gets_the_default() {
    let api = notes(Api::new("api").representation("text/plain", plain));
    let app = TestApp::with_api(api.default_mediatype("text/plain")).await;
    let png = app.with_header("accept", "image/png");
    let listed = png.get("/notes").await.expect(200);
    assert_eq!(listed.header("content-type"), "text/plain");
    assert_eq!(listed.text(), "[]");
    let json = app.with_header("accept", "application/json").get("/notes").await;
    assert_eq!(json.expect(200).header("content-type"), "application/json");
}

/// API-5: without a default such a client gets a 406, and nothing is written.
#[tokio::test]
async fn without_a_default_media_type_an_unacceptable_one_is_a_406() {
    let app = TestApp::with_api(notes(Api::new("api").default_mediatype(None))).await;
    let png = app.with_header("accept", "image/png");
    let refused = png.get("/notes").await.expect(406);
    assert!(
        refused.json()["message"]
            .as_str()
            .unwrap()
            .contains("application/json")
    );
    png.post("/notes", json!({"text": "a"})).await.expect(406);
    png.get("/hello").await.expect(406);
    expect_nothing_stored(&app, "/notes").await;
    app.with_header("accept", "text/html, */*;q=0.1")
        .get("/notes")
        .await
        .expect(200);
}

/// API-6: the api's decorators are entered before and left after a resource's own, the first one outermost.
#[tokio::test]
async fn the_apis_decorators_surround_every_operation_of_every_resource() {
    let api = notes(Api::new("api"))
        .model_resource::<TracedResource>()
        .decorator(trace("first"))
        .decorator(trace("second"));
    let app = TestApp::with_api(api).await;
    for (url, entered, left) in [
        ("/notes", "first second", vec!["second", "first"]),
        ("/traced", "first second own", vec!["own", "second", "first"]),
    ] {
        let id = app.post(url, json!({"text": "a"})).await.expect(201).json()["id"].clone();
        let item = format!("{url}/{id}");
        for (method, path, body) in [
            (Method::GET, url, None),
            (Method::POST, url, Some(json!({"text": "b"}))),
            (Method::GET, &item, None),
            (Method::PUT, &item, Some(json!({"text": "c"}))),
            (Method::PATCH, &item, Some(json!({"text": "d"}))),
            (Method::DELETE, &item, None),
        ] {
            let body = body.map(|body| ("application/json", body.to_string().into()));
            let response = app.send(method.clone(), path, body).await;
            assert!(response.status.is_success(), "{method} {path}");
            assert_eq!(response.header("x-entered"), entered, "{method} {path}");
            let out: Vec<_> = response.headers.get_all("x-left").iter().collect();
            assert_eq!(out, left, "{method} {path}");
        }
    }
}

/// API-9: a 401 carries a `Bearer` challenge, and with `serve_challenge_on_401` a `Basic` one, for the api's name.
#[tokio::test]
async fn a_401_always_carries_a_challenge() {
    for (serve, challenge) in [
        (false, "Bearer realm=\"my api\""),
        (true, "Basic realm=\"my api\""),
    ] {
        let api = Api::new("my api").route(secret).route(secret_by_status);
        let app = TestApp::with_api(api.serve_challenge_on_401(serve)).await;
        for path in ["/secret", "/secret-by-status"] {
            let refused = app.get(path).await.expect(401);
            assert_eq!(refused.header("www-authenticate"), challenge, "{path}");
        }
    }
}

/// API-11: `errors` overrides the message, the status and further members of a named error.
#[tokio::test]
async fn errors_give_a_named_error_its_own_message_status_and_members() {
    let Value::Object(errors) = json!({
        "SoldOut": {"message": "Come back tomorrow.", "status": 410, "hint": {"tomorrow": true}},
        "NotFound": {"message": "No such thing.", "status": 404},
    }) else {
        unreachable!()
    };
    let api = notes(Api::new("api").prefix("/api").errors(errors));
    let app = TestApp::with_api(api.route(sold_out)).await;
    app.get("/api/sold-out").await.expect_json(
        410,
        json!({"message": "Come back tomorrow.", "status": 410, "hint": {"tomorrow": true}}),
    );
    for path in ["/api/notes/1", "/api/nowhere"] {
        app.get(path)
            .await
            .expect_json(404, json!({"message": "No such thing.", "status": 404}));
    }
}

/// API-11: the default status is 500, in the status line and in the body.
#[tokio::test]
async fn a_mapped_error_without_status_is_a_500() {
    let api = Api::new("api").error("SoldOut", json!({"message": "Come back tomorrow."}));
    let app = TestApp::with_api(api.route(sold_out)).await;
    let failed = app.get("/sold-out").await.expect(500).json();
    assert_eq!(failed["message"], "Come back tomorrow.");

    let problem = app.with_header("accept", "application/problem+json");
    let failed = problem.get("/sold-out").await.expect(500).json();
    assert_eq!(
        (&failed["status"], &failed["code"]),
        (&json!(500), &json!("sold_out"))
    );
}
