//! CORS.

use http::Method;
use model_resource::{Api, Context, Cors, Error, Next, Rate, Reply, Result, route, throttle};
use serde_json::{Value, json};
use test_support::{Client, Response, TestApp, startup_errors};

const APP: &str = "https://app.example";

const OTHER: &str = "https://app.example.evil.example";

async fn closed(_: Context, _: Next) -> Result<Reply> {
    Err(Error::unauthorized())
}

#[route("/open", methods = [GET, PATCH])]
async fn open() -> Value {
    json!("open")
}

#[route("/closed", methods = [POST], decorators = [closed])]
async fn closed_view() -> Value {
    json!("never")
}

#[route("/once", decorators = [throttle(Rate::per_hour(1))])]
async fn once() -> Value {
    json!("once")
}

#[route("/fails")]
async fn fails() -> Result<Reply> {
    Err(Error::internal("on purpose"))
}

/// Returns an api without a store, since no test here needs one.
fn api() -> Api {
    Api::new("shared")
        .prefix("/api")
        .route(open)
        .route(closed_view)
        .route(once)
        .route(fails)
}

fn from(client: &Client, origin: &str) -> Client {
    client.with_header("origin", origin)
}

async fn preflight(client: &Client, origin: &str, method: &str, path: &str) -> Response {
    let client = from(client, origin).with_header("access-control-request-method", method);
    client
        .with_header("access-control-request-headers", "authorization,content-type")
        .options(path)
        .await
}

fn cors_headers(response: &Response) -> Vec<String> {
    let names = response.headers.keys().map(|name| name.as_str().to_owned());
    names.filter(|name| name.starts_with("access-control-")).collect()
}

fn varies_by_origin(answer: &Response) -> bool {
    let mut names = answer.header("vary").split(", ");
    names.any(|name| name == "origin")
}

/// COR-1: without configured origins no response has CORS headers.
#[tokio::test]
async fn without_origins_no_response_has_cors_headers() {
    let app = TestApp::with_api(api()).await;
    for path in ["/api/open", "/api/none"] {
        let answer = from(&app, APP).get(path).await;
        assert_eq!(cors_headers(&answer), Vec::<String>::new());
        assert!(!varies_by_origin(&answer));
    }
    let answer = preflight(&app, APP, "PATCH", "/api/open").await.expect(204);
    assert_eq!(cors_headers(&answer), Vec::<String>::new());
}

/// COR-2: responses and errors to an allowed origin name it, and expose the headers that clients need.
#[tokio::test]
async fn responses_and_errors_are_readable_by_an_allowed_origin() {
    let cors = Cors::origins(["http://localhost:5173", APP]);
    let app = TestApp::with_api(api().cors(cors)).await;
    let page = from(&app, APP);
    let answers = [
        (page.get("/api/open").await, 200),
        (page.post("/api/closed", json!({})).await, 401),
        (page.get("/api/none").await, 404),
        (page.delete("/api/open").await, 405),
        (page.get("/api/once").await, 200),
        (page.get("/api/once").await, 429),
        (page.get("/api/fails").await, 500),
    ];
    for (answer, status) in answers {
        let answer = answer.expect(status);
        assert_eq!(answer.header("access-control-allow-origin"), APP);
        assert_eq!(answer.header("access-control-allow-credentials"), "");
        assert!(varies_by_origin(&answer));
        let exposed = answer.header("access-control-expose-headers");
        for name in [
            "link",
            "location",
            "x-total-count",
            "content-range",
            "preference-applied",
            "retry-after",
            "ratelimit",
            "ratelimit-policy",
            "x-request-id",
        ] {
            assert!(
                exposed.split(", ").any(|listed| listed == name),
                "{name} in {exposed}"
            );
        }
    }
}

/// COR-3: an origin that is not allowed gets no headers, however similar it is to an allowed one.
#[tokio::test]
async fn an_origin_that_is_not_allowed_gets_no_headers() {
    let cors = Cors::origins([APP]).with_credentials();
    let app = TestApp::with_api(api().cors(cors)).await;
    for origin in [
        OTHER,
        "null",
        "*",
        "http://app.example",
        "https://app.example:8443",
        "https://app.example/",
        "https://x.app.example",
        "",
    ] {
        let answer = from(&app, origin).get("/api/open").await.expect(200);
        assert_eq!(cors_headers(&answer), Vec::<String>::new(), "{origin}");
        assert!(varies_by_origin(&answer), "a cache keeps it apart");
        let answer = preflight(&app, origin, "PATCH", "/api/open").await.expect(204);
        assert_eq!(cors_headers(&answer), Vec::<String>::new(), "{origin}");
    }
    let twice = from(&from(&app, APP), OTHER).get("/api/open").await.expect(200);
    assert_eq!(cors_headers(&twice), Vec::<String>::new());
    let none = app.get("/api/open").await.expect(200);
    assert_eq!(cors_headers(&none), Vec::<String>::new());
    assert!(varies_by_origin(&none));
}

/// COR-4: a preflight is answered before decorators and without the database, with the URL's methods.
#[tokio::test]
async fn a_preflight_is_answered_before_anything_runs() {
    let cors = Cors::origins([APP]).headers(["X-Tenant"]).with_credentials();
    let app = TestApp::with_api(api().cors(cors)).await;
    for (path, method, methods) in [
        ("/api/open", "PATCH", "GET, HEAD, PATCH, OPTIONS"),
        ("/api/closed", "POST", "POST, OPTIONS"),
        ("/api/none", "GET", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
    ] {
        let answer = preflight(&app, APP, method, path).await.expect(204);
        assert_eq!(answer.header("access-control-allow-origin"), APP);
        assert_eq!(answer.header("access-control-allow-credentials"), "true");
        assert_eq!(answer.header("access-control-allow-methods"), methods);
        assert_eq!(answer.header("access-control-max-age"), "7200");
        let headers = answer.header("access-control-allow-headers");
        for name in [
            "authorization",
            "content-type",
            "prefer",
            "x-csrftoken",
            "x-tenant",
        ] {
            assert!(
                headers.split(", ").any(|listed| listed == name),
                "{name} in {headers}"
            );
        }
        assert!(answer.body.is_empty());
    }
    let limited = from(&app, APP).get("/api/once").await.expect(200);
    assert_ne!(limited.header("ratelimit"), "");
    let answer = preflight(&app, APP, "GET", "/api/once").await.expect(204);
    assert_eq!(answer.header("ratelimit"), "", "no decorator has run");
    let plain = app.send(Method::OPTIONS, "/api/open", None).await.expect(204);
    assert_eq!(plain.header("allow"), "GET, HEAD, PATCH, OPTIONS");
}

/// HTTP-5: a preflight allows the headers that the api reads, and no others.
#[tokio::test]
async fn a_preflight_allows_the_headers_that_are_read_and_no_others() {
    let app = TestApp::with_api(api().cors(Cors::origins([APP]))).await;
    let answer = preflight(&app, APP, "PATCH", "/api/open").await.expect(204);
    assert_eq!(
        answer.header("access-control-allow-headers"),
        "authentication-token, authorization, content-type, idempotency-key, if-match, if-modified-since, if-none-match, if-unmodified-since, prefer, x-csrftoken, x-request-id"
    );
}

/// COR-5: any origin may be allowed, but never with credentials; an invalid origin is rejected at startup.
#[tokio::test]
async fn any_origin_and_credentials_are_rejected_together() {
    let app = TestApp::with_api(api().cors(Cors::origins(["*"]))).await;
    let answer = from(&app, OTHER).get("/api/open").await.expect(200);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(answer.header("access-control-allow-credentials"), "");
    for (cors, mistakes) in [
        (Cors::origins(["*"]).with_credentials(), 1),
        (Cors::origins([APP, "*"]).with_credentials(), 1),
        (Cors::origins(["app.example", "https://app.example/", "null"]), 3),
        (Cors::origins([APP]).headers(["a b"]), 1),
        (Cors::origins([APP]).with_credentials(), 0),
    ] {
        assert_eq!(startup_errors(api().cors(cors)).await.len(), mistakes);
    }
}
