//! Security headers.

use bytes::Bytes;
use http::Method;
use model_resource::{Api, Error, HeaderValue, Reply, Result, header, route};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, Response, TestApp};

#[route("/page")]
async fn page() -> Value {
    json!("<script>alert(1)</script>")
}

#[route("/kept")]
async fn kept() -> Result<Reply> {
    let reply = Reply::json(&json!("kept"))?;
    Ok(reply.with_header(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=60"),
    ))
}

#[route("/welcome")]
async fn welcome() -> Result<Reply> {
    let reply = Reply::json(&json!("welcome"))?;
    Ok(reply.with_header(header::SET_COOKIE, HeaderValue::from_static("seen=1")))
}

#[route("/fails")]
async fn fails() -> Result<Reply> {
    Err(Error::internal("on purpose"))
}

fn api() -> Api {
    Api::new("headers")
        .prefix("/api")
        .route(page)
        .route(kept)
        .route(welcome)
        .route(fails)
        .authenticator(HeaderAuthenticator)
}

/// Requests one response of each kind.
async fn answers(client: &Client) -> Vec<Response> {
    let garbage = Some(("application/json", Bytes::from_static(b"{")));
    vec![
        client.get("/api/page").await.expect(200),
        client.head("/api/page").await.expect(200),
        client.options("/api/page").await.expect(204),
        client.get("/api/none").await.expect(404),
        client.delete("/api/page").await.expect(405),
        client.get("/api/fails").await.expect(500),
        client.send(Method::PUT, "/api/page", garbage).await.expect(405),
    ]
}

/// HDR-1: every response forbids content sniffing.
#[tokio::test]
async fn every_response_of_the_api_forbids_sniffing() {
    let app = TestApp::with_api(api()).await;
    for answer in answers(&app).await {
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{answer:?}");
    }
}

/// HDR-2: responses to authenticated callers are not stored unless the view allows it, and errors never are.
#[tokio::test]
async fn responses_to_authenticated_callers_and_errors_are_not_stored() {
    let app = TestApp::with_api(api()).await;
    let known = app.as_caller("1");
    let page = known.get("/api/page").await.expect(200);
    assert_eq!(page.header("cache-control"), "no-store");
    let kept = known.get("/api/kept").await.expect(200);
    assert_eq!(kept.header("cache-control"), "private, max-age=60");
    for path in ["/api/none", "/api/fails"] {
        for client in [&known, &app.client] {
            assert_eq!(
                client.get(path).await.header("cache-control"),
                "no-store",
                "{path}"
            );
        }
    }
    let welcome = app.get("/api/welcome").await.expect(200);
    assert_eq!(welcome.header("cache-control"), "no-store", "a cookie is for one");
    let anonymous = app.get("/api/page").await.expect(200);
    // Nothing says which header the authenticator reads.
    assert_eq!(anonymous.header("cache-control"), "private");
}
