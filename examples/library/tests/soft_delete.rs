//! Books that are deleted and restored.

use std::sync::Arc;

use library::{Cards, Messages, api};
use serde_json::json;
use test_support::TestApp;

#[tokio::test]
async fn the_desk_restores_a_deleted_book() {
    let desk_key = "secret".to_owned();
    let app = TestApp::with_api(api(Cards { desk_key }, Messages(Arc::new(|_, _| {})))).await;
    let desk = app.with_header("desk-key", "secret");
    let book = desk.post("/books", json!({"title": "Lost"})).await.expect(201);
    desk.delete("/books/1").await.expect(204);
    app.get("/books/1").await.expect(404);
    app.get("/books").await.expect_json(200, json!([]));
    let deleted = desk.get("/books?deleted=only").await.expect(200).json();
    assert_eq!(deleted[0]["title"], "Lost");
    app.post("/books/1/restore", json!({})).await.expect(404);
    desk.post("/books/1/restore", json!({}))
        .await
        .expect_json(200, book.json());
    app.get("/books/1").await.expect_json(200, book.json());
}
