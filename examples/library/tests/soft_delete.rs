//! Books that are deleted and restored.

use std::sync::Arc;

use library::{Cards, Messages, api};
use model_resource_testing::TestApp;
use serde_json::json;

#[tokio::test]
async fn the_desk_restores_a_deleted_book() {
    let desk_key = "secret".to_owned();
    let app = TestApp::new(api(Cards { desk_key }, Messages(Arc::new(|_, _| {})))).await;
    let desk = app.with_header("desk-key", "secret");
    let book = desk
        .post("/books", json!({"title": "Lost"}))
        .await
        .assert_status(201);
    desk.delete("/books/1").await.assert_status(204);
    app.get("/books/1").await.assert_status(404);
    app.get("/books")
        .await
        .assert_status(200)
        .assert_json_exact(json!([]));
    let deleted = desk.get("/books?deleted=only").await.assert_status(200);
    deleted.assert_json(json!([{"title": "Lost"}]));
    app.post("/books/1/restore", json!({})).await.assert_status(404);
    desk.post("/books/1/restore", json!({}))
        .await
        .assert_status(200)
        .assert_json_exact(book.json());
    app.get("/books/1")
        .await
        .assert_status(200)
        .assert_json_exact(book.json());
}
