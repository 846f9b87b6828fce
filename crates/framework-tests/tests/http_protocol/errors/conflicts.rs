//! Conflicts with stored rows.

use model_resource::{Api, Model, model_resource};
use serde_json::json;
use test_support::TestApp;

/// A shelf that cannot be deleted while books reference it.
#[derive(Debug, Clone, Model)]
#[model(table = "shelves")]
struct Shelf {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "books")]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(references = Shelf)]
    shelf_id: i64,
}

#[model_resource(Shelf, "/shelves", "/shelves/<int:id>")]
struct ShelfResource;

#[model_resource(Book, "/books", "/books/<int:id>")]
struct BookResource;

/// ERR-10: a delete that referencing rows prevent is a 409 and removes nothing.
#[tokio::test]
async fn a_delete_of_a_referenced_row_is_a_409_and_removes_nothing() {
    let api = Api::new("shelves")
        .model_resource::<ShelfResource>()
        .model_resource::<BookResource>();
    let app = TestApp::with_api(api).await;
    app.post("/shelves", json!({"name": "A"})).await.expect(201);
    app.post("/books", json!({"shelfId": 1})).await.expect(201);
    let before = app.database().rows();
    let answer = app.delete("/shelves/1").await.expect(409).json();
    assert!(answer["message"].is_string(), "{answer}");
    assert_eq!(app.database().rows(), before);
    app.delete("/books/1").await.expect(204);
    app.delete("/shelves/1").await.expect(204);
}
