//! Response helpers.

use model_resource::{
    Api, Context, Draft, Errors, Model, ModelResource, Params, Reply, Result, model_resource, route,
};
use serde_json::json;
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
struct Shelf {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(default = 0)]
    books: i64,
}

#[model_resource(Shelf, "/shelves", "/shelves/<int:id>")]
struct ShelfResource;

#[derive(Debug, Clone, Model)]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(references = Shelf)]
    shelf_id: i64,
    title: String,
}

struct BookResource;

#[model_resource(
    Book,
    "/shelves/<int:shelf_id>/books",
    "/shelves/<int:shelf_id>/books/<int:id>"
)]
impl ModelResource for BookResource {
    /// Returns the shelf, after increasing its count.
    async fn create(cx: Context, book: Draft<Book>) -> Result<Reply> {
        let Some(shelf) = book.get(Book::SHELF_ID) else {
            return cx.errors(Errors::new());
        };
        cx.created(book).await?;
        let shelf = cx
            .store_unchecked()
            .get::<Shelf>(shelf)
            .await?
            .expect("it has a book");
        let mut draft = Draft::of(&shelf);
        draft.set(Shelf::BOOKS, shelf.books + 1);
        cx.updated(draft).await
    }

    /// Adds a change to the client's.
    async fn patch(cx: Context, mut book: Draft<Book>) -> Result<Reply> {
        let title = book.get(Book::TITLE).unwrap_or_default();
        book.set(Book::TITLE, format!("{title}!"));
        cx.updated(book).await
    }

    /// Creates a shelf instead of updating the book.
    async fn put(cx: Context, book: Draft<Book>) -> Result<Reply> {
        let mut shelf = Draft::<Shelf>::new();
        shelf.set(Shelf::NAME, book.get(Book::TITLE).unwrap_or_default());
        cx.created(shelf).await
    }

    /// Deletes the book and its shelf.
    async fn delete(cx: Context, book: Book) -> Result<Reply> {
        let shelf = cx
            .store_unchecked()
            .get::<Shelf>(book.shelf_id)
            .await?
            .expect("it has a book");
        cx.deleted(book).await?;
        cx.deleted(shelf).await
    }
}

#[route("/preview", methods = [POST])]
async fn preview(cx: Context) -> Result<Reply> {
    cx.created_unsaved(Shelf {
        id: 7,
        name: "Preview".to_owned(),
        books: 3,
    })
}

#[route("/rename/<int:id>/<name>", methods = [POST])]
async fn rename(cx: Context, params: Params) -> Result<Reply> {
    let shelves = cx.store_unchecked().all(&Shelf::query()).await?;
    let found = shelves
        .iter()
        .find(|shelf| params.get("id") == Some(&shelf.id.to_string()));
    let mut draft = Draft::of(found.expect("the test made it"));
    draft.set(Shelf::NAME, params.get("name").unwrap_or_default().to_owned());
    cx.updated(draft).await
}

#[route("/refuse", methods = [POST])]
async fn refuse(cx: Context) -> Result<Reply> {
    let mut errors = Errors::new();
    errors.add("name", "Not this one.");
    errors.add("name", "Nor like this.");
    errors.add_object("Nothing is right.");
    cx.errors(errors)
}

/// Starts an app with one shelf.
async fn app() -> TestApp {
    let api = Api::new("shelves")
        .model_resource::<ShelfResource>()
        .model_resource::<BookResource>()
        .route(preview)
        .route(rename)
        .route(refuse);
    let app = TestApp::with_api(api).await;
    app.post("/shelves", json!({"name": "first"})).await.expect(201);
    app
}

/// HLP-1: `created` stores the object and returns it with 201.
#[tokio::test]
async fn created_stores_the_object_and_returns_it() {
    let app = app().await;
    let made = app.post("/shelves", json!({"name": "second"})).await.expect(201);
    assert_eq!(made.json(), json!({"id": 2, "name": "second", "books": 0}));
    assert_eq!(made.header("location"), "/shelves/2");
    app.get("/shelves/2").await.expect_json(200, made.json());
}

/// HLP-1: `created` stores an object of any model, and sets `Location` only if the URL determines it.
#[tokio::test]
async fn created_stores_an_object_of_another_model_than_the_urls() {
    let app = app().await;
    app.post("/shelves/1/books", json!({"title": "Emma"}))
        .await
        .expect(200);
    let made = app
        .put("/shelves/1/books/1", json!({"title": "Austen"}))
        .await
        .expect(201);
    assert_eq!(made.json(), json!({"id": 2, "name": "Austen", "books": 0}));
    assert_ne!(made.header("location"), "/shelves/1/books/2");
    app.get("/shelves/2").await.expect_json(200, made.json());
}

/// HLP-1: `created_unsaved` returns the object with 201 and stores nothing.
#[tokio::test]
async fn created_unsaved_stores_nothing() {
    let app = app().await;
    app.post("/preview", json!({}))
        .await
        .expect_json(201, json!({"id": 7, "name": "Preview", "books": 3}));
    app.get("/shelves/7").await.expect(404);
    app.get("/shelves")
        .await
        .expect_json(200, json!([{"id": 1, "name": "first", "books": 0}]));
}

/// HLP-2: `updated` stores the changes, including the handler's, and returns the object with 200.
#[tokio::test]
async fn updated_stores_the_changes_and_returns_the_object() {
    let app = app().await;
    app.post("/shelves/1/books", json!({"title": "Emma"}))
        .await
        .expect(200);
    let changed = json!({"id": 1, "shelfId": 1, "title": "Persuasion!"});
    app.patch("/shelves/1/books/1", json!({"title": "Persuasion"}))
        .await
        .expect_json(200, changed.clone());
    app.get("/shelves/1/books/1").await.expect_json(200, changed);
    app.post("/rename/1/renamed", json!({}))
        .await
        .expect_json(200, json!({"id": 1, "name": "renamed", "books": 1}));
    app.get("/shelves/1")
        .await
        .expect_json(200, json!({"id": 1, "name": "renamed", "books": 1}));
}

/// HLP-2: `updated` stores an object of another model than the URL's, regardless of the URL's scope.
#[tokio::test]
async fn updated_stores_an_object_of_another_model_than_the_urls() {
    let app = app().await;
    for books in [1, 2] {
        app.post("/shelves/1/books", json!({"title": "Emma"}))
            .await
            .expect_json(200, json!({"id": 1, "name": "first", "books": books}));
    }
    app.get("/shelves/1")
        .await
        .expect_json(200, json!({"id": 1, "name": "first", "books": 2}));
}

/// HLP-3: `deleted` removes the object and returns 204 with an empty body.
#[tokio::test]
async fn deleted_removes_the_object_and_returns_an_empty_body() {
    let app = app().await;
    app.post("/shelves", json!({"name": "second"})).await.expect(201);
    app.post("/shelves/1/books", json!({"title": "Emma"}))
        .await
        .expect(200);
    let deleted = app.delete("/shelves/1/books/1").await.expect(204);
    assert!(deleted.body.is_empty());
    assert_eq!(deleted.header("content-type"), "");
    app.get("/shelves")
        .await
        .expect_json(200, json!([{"id": 2, "name": "second", "books": 0}]));
}

/// HLP-6: `deleted` returns the removed object if the client prefers it.
#[tokio::test]
async fn deleted_returns_the_removed_object_to_a_client_that_prefers_it() {
    let app = app().await;
    app.post("/shelves/1/books", json!({"title": "Emma"}))
        .await
        .expect(200);
    let client = app.with_header("prefer", "return=representation");
    let deleted = client.delete("/shelves/1/books/1").await;
    assert_eq!(deleted.header("preference-applied"), "return=representation");
    deleted.expect_json(200, json!({"id": 1, "name": "first", "books": 1}));
    app.get("/shelves").await.expect_json(200, json!([]));
}

/// HLP-4: `errors` returns 400 with an object whose only member `errors` has the errors.
#[tokio::test]
async fn errors_returns_the_errors_as_the_only_member() {
    let app = app().await;
    let refused = app.post("/refuse", json!({})).await;
    assert_eq!(refused.header("content-type"), "application/json");
    refused.expect_json(
        400,
        json!({"errors": {
            "name": ["Not this one.", "Nor like this."],
            "_schema": ["Nothing is right."],
        }}),
    );
}

struct CountedShelfResource;

#[model_resource(Shelf, "/counted-shelves", endpoint = "counted_shelves")]
impl ModelResource for CountedShelfResource {
    /// Saves a shelf and a book on it in one transaction, which fails in between for a shelf named "nothing".
    async fn create(mut cx: Context, shelf: Draft<Shelf>) -> Result<Reply> {
        cx.begin().await?;
        let reply = cx.created(shelf).await?;
        let shelf = cx
            .store_unchecked()
            .first(&Shelf::query())
            .await?
            .expect("it sees its own writes");
        if shelf.name == "nothing" {
            return Err(model_resource::Error::field("name", "Not this one."));
        }
        let mut book = Draft::new();
        book.set(Book::SHELF_ID, shelf.id);
        book.set(Book::TITLE, "first".to_owned());
        cx.store_unchecked().create(book).await?;
        cx.commit().await?;
        Ok(reply)
    }
}

/// HLP-5: the writes between `begin` and `commit` are atomic.
#[tokio::test]
async fn a_transaction_of_a_request_is_atomic() {
    let api = Api::new("api")
        .model_resource::<ShelfResource>()
        .model_resource::<BookResource>()
        .model_resource::<CountedShelfResource>();
    let app = TestApp::with_api(api).await;
    app.post("/counted-shelves", json!({"name": "nothing"}))
        .await
        .expect_json(400, json!({"errors": {"name": ["Not this one."]}}));
    app.get("/shelves").await.expect_json(200, json!([]));
    app.post("/counted-shelves", json!({"name": "crime"}))
        .await
        .expect(201);
    assert_eq!(
        app.get("/shelves")
            .await
            .expect(200)
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let shelf = app.get("/shelves").await.json()[0]["id"].clone();
    let books = app.get(&format!("/shelves/{shelf}/books")).await.expect(200);
    assert_eq!(books.json()[0]["title"], "first");
}
