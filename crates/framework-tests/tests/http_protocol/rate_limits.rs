//! Rate limits.

use std::collections::HashSet;
use std::time::Duration;

use http::StatusCode;
use model_resource::{
    Api, CREATE, Context, Error, JsonBody, MethodDecorators, Model, ModelResource, Operations, Rate, Reply,
    Result, model_resource, route, throttle,
};
use serde_json::{Value, json};
use test_support::{Client, Response, TestApp};

const RIGHT: &str = "correct horse";
/// Password that the login does not check, as if the database were away.
const UNCHECKED: &str = "unchecked";

/// A login that accepts one password.
#[route("/login", methods = [POST], decorators = [
    throttle(Rate::per_hour(30)).named("address").by_address().failures_only(),
    throttle(Rate::per_hour(10)).named("account").by_field("email").failures_only(),
])]
async fn login(JsonBody(body): JsonBody<Value>) -> Result<Reply> {
    match body["password"].as_str() {
        Some(RIGHT) => Reply::json(&json!("in")),
        Some(UNCHECKED) => Ok(Reply::json(&json!("away"))?.with_status(StatusCode::SERVICE_UNAVAILABLE)),
        _ => Err(Error::unauthorized()),
    }
}

#[route("/few", decorators = [throttle(Rate::per_hour(3))])]
async fn few() -> Value {
    json!("here")
}

#[route("/by-address", decorators = [throttle(Rate::per_hour(1)).by_address()])]
async fn by_address() -> Value {
    json!("here")
}

#[route("/by-key", decorators = [throttle(Rate::per_hour(1)).by(|cx: &Context| cx.query("key"))])]
async fn by_key() -> Value {
    json!("here")
}

#[derive(Debug, Clone, Model)]
#[model(table = "notes")]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
}

struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for NoteResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(CREATE, throttle(Rate::per_hour(5)).named("notes"))
    }
}

fn api() -> Api {
    Api::new("throttled")
        .model_resource::<NoteResource>()
        .route(login)
        .route(few)
        .route(by_address)
        .route(by_key)
}

async fn try_login(client: &Client, email: &str, password: &str) -> Response {
    let body = json!({"email": email, "password": password});
    client.post("/login", body).await
}

fn values<'r>(response: &'r Response, name: &str) -> Vec<&'r str> {
    let values = response.headers.get_all(name).iter();
    values.map(|value| value.to_str().unwrap()).collect()
}

/// Returns the number after a name such as `;r=`.
fn number(text: &str, name: &str) -> u64 {
    let (_, rest) = text.split_once(name).unwrap();
    rest.split(';').next().unwrap().parse().unwrap()
}

/// THR-2, THR-4: each response has the remaining requests, and the first one beyond the limit is a 429 with
/// `Retry-After`.
#[tokio::test]
async fn every_response_has_the_remaining_requests_and_the_last_one_retry_after() {
    let app = TestApp::with_api(api()).await;
    for left in [2, 1, 0] {
        let answer = app.get("/few").await.expect(200);
        assert_eq!(answer.header("ratelimit-policy"), "\"default\";q=3;w=3600");
        let limit = answer.header("ratelimit");
        assert!(limit.starts_with("\"default\";r="), "{limit}");
        assert_eq!(number(limit, ";r="), left);
        assert!((1..=3600).contains(&number(limit, ";t=")), "{limit}");
        assert_eq!(answer.header("retry-after"), "");
    }
    let refused = app.get("/few").await.expect(429);
    assert_eq!(
        refused.json(),
        json!({"message": "Too many requests; try again later."})
    );
    assert_eq!(number(refused.header("ratelimit"), ";r="), 0);
    assert_eq!(refused.header("ratelimit-policy"), "\"default\";q=3;w=3600");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert_eq!(wait, number(refused.header("ratelimit"), ";t="));
    let problem = app.with_header("accept", "application/problem+json");
    let problem = problem.get("/few").await.expect(429).json();
    assert_eq!(problem["code"], "too_many_requests");
    assert_eq!(problem["title"], "Too Many Requests");
}

/// THR-2: an api may override the error.
#[tokio::test]
async fn the_rate_limit_error_can_be_mapped_by_its_name() {
    let own = json!({"message": "Slowly.", "status": 503});
    let app = TestApp::with_api(api().error("TooManyRequests", own)).await;
    for _ in 0..3 {
        app.get("/few").await.expect(200);
    }
    let refused = app.get("/few").await.expect(503);
    assert_eq!(refused.json()["message"], "Slowly.");
    assert_ne!(refused.header("retry-after"), "");
}

/// THR-3: 50 concurrent failed logins with varying `X-Forwarded-For`, `/login/` and case do not exceed the limit.
#[tokio::test]
async fn fifty_concurrent_failed_logins_never_exceed_the_limit() {
    let app = TestApp::with_api(api()).await;
    let attempts = (0..50).map(|number| {
        let client = app.with_header("x-forwarded-for", &format!("198.51.100.{number}"));
        tokio::spawn(async move {
            let path = ["/login", "/login/"][number % 2];
            let email = ["ann@example.com", "Ann@Example.COM", " ann@example.com "][number % 3];
            let body = json!({"email": email, "password": format!("wrong {number}")});
            client.post(path, body).await
        })
    });
    let attempts: Vec<_> = attempts.collect();
    let (mut wrong, mut refused) = (0, 0);
    for attempt in attempts {
        let answer = attempt.await.unwrap();
        match answer.status.as_u16() {
            401 => wrong += 1,
            429 => {
                refused += 1;
                assert_ne!(answer.header("retry-after"), "");
            }
            other => panic!("{other}: {}", answer.text()),
        }
    }
    assert_eq!((wrong, refused), (10, 40));
    try_login(&app, "ann@example.com", RIGHT).await.expect(429);
}

/// THR-3: the limit of an address is shared by all accounts, and the limit of an account applies to it alone.
#[tokio::test]
async fn limits_by_account_and_by_address_apply_together() {
    let app = TestApp::with_api(api()).await;
    for number in 0..10 {
        let answer = try_login(&app, "ann", "wrong").await.expect(401);
        let limits = values(&answer, "ratelimit");
        let left: HashSet<(&str, u64)> = limits
            .iter()
            .map(|limit| (limit.split(';').next().unwrap(), number_left(limit)))
            .collect();
        let expected = [("\"address\"", 29 - number), ("\"account\"", 9 - number)];
        assert_eq!(left, HashSet::from(expected));
        assert_eq!(values(&answer, "ratelimit-policy").len(), 2);
    }
    try_login(&app, "ann", "wrong").await.expect(429);
    for number in 0..19 {
        try_login(&app, &format!("other {number}"), "wrong")
            .await
            .expect(401);
    }
    let refused = try_login(&app, "somebody new", RIGHT).await.expect(429);
    assert_eq!(values(&refused, "ratelimit").len(), 1);
    assert!(refused.header("ratelimit").starts_with("\"address\";r=0;"));
}

fn number_left(limit: &str) -> u64 {
    number(limit, ";r=")
}

/// THR-3: with `failures_only`, a success releases its slot.
#[tokio::test]
async fn successful_logins_use_no_slot() {
    let app = TestApp::with_api(api()).await;
    for _ in 0..40 {
        try_login(&app, "ann", RIGHT).await.expect(200);
    }
    let answer = try_login(&app, "ann", "wrong").await.expect(401);
    let left: Vec<u64> = values(&answer, "ratelimit")
        .into_iter()
        .map(number_left)
        .collect();
    assert_eq!(left.iter().sum::<u64>(), 29 + 9);
    for body in [json!({}), json!({"email": 1})] {
        app.post("/login", body).await.expect(401);
    }
}

/// THR-3: with `failures_only`, neither does a login that the server could not check.
#[tokio::test]
async fn logins_that_the_server_could_not_check_use_no_slot() {
    let app = TestApp::with_api(api()).await;
    for _ in 0..40 {
        try_login(&app, "ann", UNCHECKED).await.expect(503);
    }
    try_login(&app, "ann", RIGHT).await.expect(200);
    for _ in 0..10 {
        try_login(&app, "ann", "wrong").await.expect(401);
    }
    try_login(&app, "ann", UNCHECKED).await.expect(429);
}

/// THR-3: clients behind a trusted proxy are counted by their own addresses, and IPv6 clients by their network.
#[tokio::test]
async fn a_limit_by_address_counts_clients_and_not_their_proxy() {
    let app = TestApp::with_api(api().trusted_proxies(["127.0.0.1"])).await;
    let from = |address: &str| app.with_header("x-forwarded-for", address);
    from("198.51.100.1").get("/by-address").await.expect(200);
    from("198.51.100.1").get("/by-address").await.expect(429);
    from("6.6.6.6, 198.51.100.1").get("/by-address").await.expect(429);
    from("198.51.100.2").get("/by-address").await.expect(200);
    from("2001:db8:1:2::1").get("/by-address").await.expect(200);
    from("2001:db8:1:2:ffff::2").get("/by-address").await.expect(429);
    from("2001:db8:1:3::1").get("/by-address").await.expect(200);
}

/// THR-3: an application can count by a custom key.
#[tokio::test]
async fn a_limit_by_a_key_counts_each_key() {
    let app = TestApp::with_api(api()).await;
    for key in ["?key=a", "?key=b", ""] {
        app.get(&format!("/by-key{key}")).await.expect(200);
        app.get(&format!("/by-key{key}")).await.expect(429);
    }
}

/// THR-5: each object of a bulk request takes a slot, and a request beyond the limit writes nothing.
#[tokio::test]
async fn a_bulk_request_does_not_bypass_a_limit() {
    let app = TestApp::with_api(api()).await;
    let notes = |count: usize| json!(vec![json!({"text": "x"}); count]);
    app.post("/notes", notes(3)).await.expect(201);
    let before = app.database().rows();
    let refused = app.post("/notes", notes(3)).await.expect(429);
    assert_ne!(refused.header("retry-after"), "");
    assert_eq!(app.database().rows(), before);
    app.post("/notes", json!({"text": "x"})).await.expect(429);
    app.get("/notes").await.expect(200);
}

/// REG-39: a rate with an unbounded window is rejected when it is constructed.
#[test]
fn a_rate_without_an_end_is_rejected() {
    let refused = std::panic::catch_unwind(|| Rate::new(10, Duration::from_secs(u64::MAX)));
    let message = *refused.err().unwrap().downcast::<&str>().unwrap();
    assert!(message.contains("at most 30 years"), "{message}");
}
