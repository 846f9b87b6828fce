//! Decorators that replace the data of a reply, and the headers of pages.

use serde_json::{Value, json};

use super::start;

/// REP-23: a decorator replaces the data; status and headers are kept, and 204 becomes 200.
#[tokio::test]
async fn a_decorator_replaces_the_data() {
    let app = start().await;
    app.get("/replaced/1")
        .await
        .expect_json(200, json!({"was": "Object"}));
    app.get("/replaced")
        .await
        .expect_json(200, json!({"was": "List"}));
    let made = app
        .post("/replaced", json!({"title": "e", "price": "1.00"}))
        .await
        .expect(201);
    assert_eq!(made.json(), json!({"was": "Object"}));
    assert!(made.header("location").starts_with("/replaced/"));
    app.delete("/replaced/1")
        .await
        .expect_json(200, json!({"was": "Nothing"}));
    let view = app.get("/view/replaced").await.expect(202);
    assert_eq!(view.json(), json!({"was": "Response"}));
    assert_eq!(
        (view.header("content-type"), view.header("x-own")),
        ("application/json", "yes")
    );
    app.get("/counted").await.expect_json(200, json!({"count": 3}));
}

/// REP-23, REP-26: status and links of a page are kept when its data is read and replaced.
#[tokio::test]
async fn a_page_keeps_its_headers_when_it_is_read() {
    let app = start().await;
    let query = "?page=1&pageSize=2&count=exact";
    let plain = app.get(&format!("/plain{query}")).await.expect(200);
    for path in ["/read", "/both", "/counted", "/marked"] {
        let page = app.get(&format!("{path}{query}")).await.expect(200);
        for header in ["x-total-count", "content-range"] {
            assert_eq!(page.header(header), plain.header(header), "{path}");
        }
        assert_eq!(page.header("link"), plain.header("link").replace("/plain", path));
    }
    let read = app.get(&format!("/read{query}")).await;
    assert_eq!(read.header("x-json"), plain.text());
    app.get(&format!("/counted{query}"))
        .await
        .expect_json(200, json!({"count": 2}));
}

/// REP-26: a custom representation has the headers of a page too.
#[tokio::test]
async fn a_page_in_a_custom_representation_has_its_headers() {
    let app = start().await;
    let page = app.get("/text?page=1&pageSize=2&count=exact").await.expect(200);
    assert_eq!(page.header("content-type"), "text/plain");
    assert_eq!(page.header("x-total-count"), "3");
    assert!(
        page.header("link").contains("rel=\"next\""),
        "{}",
        page.header("link")
    );
    let titles: Value = serde_json::from_str(&page.text()).unwrap();
    assert_eq!(
        (&titles[0]["mark"], &titles[1]["mark"]),
        (&json!("A"), &json!("=B"))
    );
}
