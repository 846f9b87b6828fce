//! Values that become headers.

use model_resource::{Api, Model, model_resource};
use serde_json::json;
use test_support::TestApp;

/// A page with a client-assigned key.
#[derive(Debug, Clone, Model)]
#[model(table = "pages")]
struct Page {
    #[column(primary_key = client)]
    path: String,
    text: String,
}

#[model_resource(Page, "/pages", "/pages/<path>")]
struct PageResource;

/// A line break in a value that becomes a header is encoded.
#[tokio::test]
async fn a_line_break_in_a_value_that_becomes_a_header_is_encoded() {
    let api = Api::new("pages").model_resource::<PageResource>();
    let app = TestApp::with_api(api).await;
    let nasty = "a\r\nSet-Cookie: x=1\r\n\r\n<b>/?#%é";
    let answer = app
        .post("/pages", json!({"path": nasty, "text": "x"}))
        .await
        .expect(201);
    assert_eq!(answer.header("set-cookie"), "");
    let location = answer.header("location").to_owned();
    assert!(location.starts_with("/pages/a%0D%0ASet-Cookie"), "{location}");
    app.get(&location)
        .await
        .expect_json(200, json!({"path": nasty, "text": "x"}));
    let split = app.with_header("x-request-id", "a%0d%0aSet-Cookie: x=1");
    assert_eq!(split.get("/pages").await.header("set-cookie"), "");
}
