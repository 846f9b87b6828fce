//! Choosing the operation.

use serde_json::json;

use crate::support::TestApp;

/// OP-2, OP-3: a URL without parameter lists on GET and creates on POST.
#[tokio::test]
async fn a_url_without_parameter_lists_on_get_and_creates_on_post() {
    let app = TestApp::start().await;
    app.get("/api/v1/tags")
        .await
        .expect_json(200, json!({"tags": []}));
    app.post("/api/v1/tags", json!({"tag": {"name": "rust"}}))
        .await
        .expect_json(201, json!({"tag": {"id": 1, "name": "rust"}}));
}
