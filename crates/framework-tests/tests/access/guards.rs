//! Decorators that authorize writes, and decorators that do not.

use model_resource::{
    Api, Authenticate, CREATE, Caller, Context, DELETE, MethodDecorators, Model, ModelResource,
    ModelSerializer, Next, Operations, PATCH, PUT, Rate, Reply, Result, guard, model_resource,
    param_converter, parse, patch_loader, post_loader, put_loader, route, serializer, throttle,
};
use model_resource_security::auth_required;
use serde_json::{Value, json};
use test_support::{Client, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "shells")]
struct Shell {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct ShellSerializer;

#[serializer]
impl ModelSerializer for ShellSerializer {
    type Model = Shell;
}

struct ThrottledResource;

#[model_resource(Shell, "/throttled", "/throttled/<int:id>")]
impl ModelResource for ThrottledResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(throttle(Rate::per_hour(1000)).by_address())
    }
}

struct ConvertedResource;

/// Lists its converters and loaders explicitly.
#[model_resource(Shell, "/converted", "/converted/<int:id>")]
impl ModelResource for ConvertedResource {
    const INCLUDE_DECORATORS: Operations = Operations::NONE;
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .every(param_converter().query("page", parse::<u32>()))
            .on([PUT, PATCH, DELETE], param_converter().model::<Shell>("id"))
            .on(CREATE, post_loader::<ShellSerializer>())
            .on(PUT, put_loader::<ShellSerializer>())
            .on(PATCH, patch_loader::<ShellSerializer>())
    }
}

struct PublicResource;

#[model_resource(Shell, "/public", "/public/<int:id>")]
impl ModelResource for PublicResource {
    const PUBLIC: bool = true;

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(throttle(Rate::per_hour(1000)))
    }
}

/// Permits everyone, as a logging decorator does.
async fn logged(cx: Context, next: Next) -> Result<Reply> {
    next.run(cx).await
}

/// An authenticator for which every caller is anonymous.
struct Nobody;

impl Authenticate for Nobody {
    async fn authenticate(&self, _: &mut Context) -> Result<Caller> {
        Ok(Caller::anonymous())
    }
}

fn api() -> Api {
    Api::new("shells")
        .authenticator(Nobody)
        .serializer::<ShellSerializer>()
        .model_resource::<ThrottledResource>()
        .model_resource::<ConvertedResource>()
        .model_resource::<PublicResource>()
}

async fn start(api: Api) -> TestApp {
    let app = TestApp::with_api(api).await;
    app.database().execute("INSERT INTO shells (name) VALUES ('a')");
    app
}

/// Sends every write of the resource at a URL, and returns the statuses.
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

/// SEC-32: rate limits, converters and loaders do not authorize writes.
#[tokio::test]
async fn rate_limits_converters_and_loaders_authorize_nothing() {
    for api in [api(), api().decorator(throttle(Rate::per_hour(1000)))] {
        let app = start(api).await;
        let before = app.database().rows();
        for url in ["/throttled", "/converted"] {
            assert_eq!(writes(&app, url).await, [401; 4], "{url}");
        }
        app.post("/throttled", json!([{"name": "b"}])).await.expect(401);
        app.delete("/throttled?id=1").await.expect(401);
        app.delete("/converted/999").await.expect(401);
        assert_eq!(app.database().rows(), before);
        app.get("/throttled").await.expect(200);
        assert_eq!(writes(&app, "/public").await, [201, 200, 200, 204]);
    }
}

/// SEC-32: a function around the whole api, such as a log, authorizes nothing unless it is declared as a guard.
#[tokio::test]
async fn a_function_around_the_api_authorizes_nothing_unless_it_is_a_guard() {
    let app = start(api().decorator(logged)).await;
    let before = app.database().rows();
    assert_eq!(writes(&app, "/throttled").await, [401; 4]);
    assert_eq!(app.database().rows(), before);
    let app = start(api().decorator(guard(logged))).await;
    assert_eq!(writes(&app, "/throttled").await, [201, 200, 200, 204]);
}

#[route("/unguarded", methods = [GET, POST])]
async fn unguarded() -> Value {
    json!("done")
}

#[route("/limited", methods = [PUT], decorators = [throttle(Rate::per_hour(1000))])]
async fn limited() -> Value {
    json!("done")
}

#[route("/guarded", methods = [POST], decorators = [auth_required()])]
async fn guarded() -> Value {
    json!("done")
}

#[route("/logged", methods = [POST], decorators = [logged])]
async fn only_logged() -> Value {
    json!("done")
}

#[route("/guarded-by-hand", methods = [POST], guards = [logged])]
async fn guarded_by_hand() -> Value {
    json!("done")
}

/// SEC-32, SEC-41: public writes are listed, also behind a rate limit or a plain function, and so are views that write
/// without a guard.
#[tokio::test]
async fn public_writes_are_listed_with_views_that_write_without_a_guard() {
    let views = |api: Api| {
        let api = api.route(unguarded).route(limited).route(only_logged);
        api.route(guarded).route(guarded_by_hand)
    };
    let public = views(api()).compile().public_writes();
    let public: Vec<String> = public
        .iter()
        .map(|line| format!("{} {}", line.method, line.url))
        .collect();
    let expected = [
        "POST /public",
        "PUT /public/<int:id>",
        "PATCH /public/<int:id>",
        "DELETE /public/<int:id>",
        "POST /unguarded",
        "PUT /limited",
        "POST /logged",
    ];
    assert_eq!(public, expected);
    let app = start(views(api())).await;
    app.post("/unguarded", json!({})).await.expect(200);
    app.put("/limited", json!({})).await.expect(200);
    app.post("/guarded", json!({})).await.expect(401);
    assert!(views(Api::new("open")).compile().public_writes().is_empty());
}
