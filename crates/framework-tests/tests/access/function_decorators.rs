//! Plain functions around operations and views, and the three ways to declare a function as a guard.

use std::pin::Pin;
use std::time::Instant;

use model_resource::{
    Api, CREATE, Caller, Context, DELETE, Decorator, HeaderName, HeaderValue, MethodDecorators, Model,
    ModelPolicy, ModelResource, Next, Operations, PATCH, PUT, Reply, Result, guard, model_resource, route,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "pebbles")]
struct Pebble {
    #[column(primary_key)]
    id: i64,
    name: String,
}

/// Measures the time and permits everyone.
async fn timed(cx: Context, next: Next) -> Result<Reply> {
    let start = Instant::now();
    let reply = next.run(cx).await?;
    let elapsed = HeaderValue::from(start.elapsed().as_secs());
    Ok(reply.with_header(HeaderName::from_static("x-elapsed"), elapsed))
}

/// Permits only the caller with key 1.
async fn first_only(cx: Context, next: Next) -> Result<Reply> {
    if cx.caller().key::<i64>() != Some(1) {
        return Err(cx.denied());
    }
    next.run(cx).await
}

/// A decorator type that does not authorize.
struct Counted;

impl Decorator for Counted {
    fn call(&self, cx: Context, next: Next) -> Pin<Box<dyn Future<Output = Result<Reply>> + Send>> {
        next.run(cx)
    }
}

struct TimedResource;

#[model_resource(Pebble, "/timed", "/timed/<int:id>")]
impl ModelResource for TimedResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on([CREATE, PUT, PATCH, DELETE], timed)
            .every(Counted)
    }
}

struct GuardedResource;

#[model_resource(Pebble, "/guarded", "/guarded/<int:id>")]
impl ModelResource for GuardedResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, DELETE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on([CREATE, PUT, PATCH, DELETE], timed)
            .guard([CREATE, DELETE], first_only)
            .on(PATCH, guard(first_only))
    }
}

fn api() -> Api {
    Api::new("pebbles")
        .authenticator(HeaderAuthenticator)
        .model_resource::<TimedResource>()
        .model_resource::<GuardedResource>()
}

async fn start(api: Api) -> TestApp {
    let app = TestApp::with_api(api).await;
    app.database().execute("INSERT INTO pebbles (name) VALUES ('a')");
    app
}

/// Returns the statuses of create, put, patch and delete below a URL.
async fn writes(client: &Client, url: &str) -> Vec<u16> {
    let (item, body) = (format!("{url}/1"), json!({"name": "b"}));
    let answers = [
        client.post(url, body.clone()).await,
        client.put(&item, body.clone()).await,
        client.patch(&item, body).await,
        client.delete(&item).await,
    ];
    answers.iter().map(|answer| answer.status.as_u16()).collect()
}

/// SEC-32, SEC-40: `.on(CREATE, timed)` and a custom decorator type authorize nothing, for single and bulk requests.
#[tokio::test]
async fn a_plain_function_on_an_operation_is_not_a_guard() {
    let app = start(api()).await;
    let before = app.database().rows();
    assert_eq!(writes(&app, "/timed").await, [401; 4]);
    assert_eq!(writes(&app.as_caller("1"), "/timed").await, [403; 4]);
    app.post("/timed", json!([{"name": "b"}])).await.expect(401);
    app.patch("/timed", json!([{"id": 1, "name": "b"}]))
        .await
        .expect(401);
    app.delete("/timed?id=1").await.expect(401);
    assert_eq!(app.database().rows(), before);
    app.get("/timed/1").await.expect(200);
}

/// SEC-40: `MethodDecorators::guard` and `guard(f)` authorize their operations; put, which has neither, is denied.
#[tokio::test]
async fn a_guard_authorizes_only_its_operations() {
    let app = start(api()).await;
    let before = app.database().rows();
    assert_eq!(writes(&app, "/guarded").await, [401; 4]);
    assert_eq!(writes(&app.as_caller("2"), "/guarded").await, [403; 4]);
    app.post("/guarded", json!([{"name": "b"}])).await.expect(401);
    app.delete("/guarded?id=1").await.expect(401);
    assert_eq!(app.database().rows(), before);
    let first = app.as_caller("1");
    assert_eq!(writes(&first, "/guarded").await, [201, 403, 200, 204]);
}

/// Permits everyone to create.
struct OpenPolicy;

impl ModelPolicy for OpenPolicy {
    type Model = Pebble;

    fn may_create(_: &Caller) -> bool {
        true
    }
}

/// Returns the lines of `public_writes`.
fn public(api: Api) -> Vec<String> {
    let lines = api.compile().public_writes().into_iter();
    lines
        .map(|line| format!("{} {}", line.method, line.url))
        .collect()
}

/// SEC-41: a create that a policy permits to everyone is listed in spite of a plain function around it.
#[test]
fn public_writes_lists_a_create_that_only_a_plain_function_surrounds() {
    assert!(public(api()).is_empty());
    assert_eq!(public(api().policy::<OpenPolicy>()), ["POST /timed"]);
}

#[route("/timed-view", methods = [GET, POST], decorators = [timed, Counted])]
async fn timed_view() -> Value {
    json!("done")
}

#[route("/guarded-view", methods = [GET, POST], decorators = [timed], guards = [first_only])]
async fn guarded_view() -> Value {
    json!("done")
}

#[route("/marked-view", methods = [POST], decorators = [timed, guard(first_only)])]
async fn marked_view() -> Value {
    json!("done")
}

/// SEC-41: a view that writes is listed with plain functions around it, but not with a guard.
#[tokio::test]
async fn public_writes_lists_a_view_that_only_plain_functions_surround() {
    let api = || api().route(timed_view).route(guarded_view).route(marked_view);
    assert_eq!(public(api()), ["POST /timed-view"]);
    let app = start(api()).await;
    app.post("/timed-view", json!({})).await.expect(200);
    for url in ["/guarded-view", "/marked-view"] {
        app.post(url, json!({})).await.expect(401);
        app.as_caller("2").post(url, json!({})).await.expect(403);
        app.as_caller("1").post(url, json!({})).await.expect(200);
    }
}

/// SEC-42: the guards of a view run outside its decorators, in any order of the attribute's arguments.
#[test]
fn the_guards_of_a_view_run_before_its_decorators() {
    let lines = api().route(guarded_view).compile().routes();
    let line = lines.iter().find(|line| line.url == "/guarded-view").unwrap();
    assert_eq!(line.decorators, ["first_only", "timed"]);
}

/// SEC-42: the guards of a resource keep their position in the list, the first one outermost.
#[test]
fn the_guards_of_a_resource_run_where_they_are_listed() {
    let lines = api().compile().routes();
    let create = |line: &&model_resource::RouteInfo| line.url == "/guarded" && line.method == "POST";
    let line = lines.iter().find(create).unwrap();
    assert_eq!(
        line.decorators,
        ["timed", "first_only", "throttle", "post_loader"]
    );
}
