//! Bulk creations whose objects are loaded before their transaction begins, and those that cannot be.

use futures_util::future::BoxFuture;
use model_resource::{
    Api, CREATE, Context, Decorator, Error, LIST, MethodDecorators, Model, ModelResource, Next, Operations,
    Query, Reply, Result, model_resource,
};
use serde_json::json;
use test_support::TestApp;

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
    #[column(unique, min_length = 1)]
    title: String,
    #[column(references = Shelf)]
    shelf_id: Option<i64>,
}

struct ShelfResource;

#[model_resource(Shelf, "/shelves")]
impl ModelResource for ShelfResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, LIST]);
}

struct BookResource;

#[model_resource(Book, "/books", "/shelves/<int:shelf_id>/books")]
impl ModelResource for BookResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, LIST]);
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

/// Adds the number of books to the reply, read where the decorator runs.
struct CountAfterwards;

impl Decorator for CountAfterwards {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let store = cx.store_unchecked().clone();
        Box::pin(async move {
            let reply = next.run(cx).await?;
            let count = store.count(Query::<Book>::new()).await?;
            Ok(reply.map_objects(move |book| {
                book.insert("books".to_owned(), count.into());
            }))
        })
    }

    fn is_independent(&self) -> bool {
        true
    }
}

struct CountedResource;

#[model_resource(Book, "/counted")]
impl ModelResource for CountedResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE]);
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(CREATE, CountAfterwards)
    }
}

struct SmallLibraryResource;

#[model_resource(Book, "/small-library")]
impl ModelResource for SmallLibraryResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE]);
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(CREATE, at_most_two)
    }
}

async fn at_most_two(cx: Context, next: Next) -> Result<Reply> {
    if cx.store_unchecked().count(Query::<Book>::new()).await? >= 2 {
        return Err(Error::forbidden("The library is full."));
    }
    next.run(cx).await
}

async fn library() -> TestApp {
    let api = Api::new("library")
        .model_resource::<ShelfResource>()
        .model_resource::<BookResource>()
        .model_resource::<CountedResource>()
        .model_resource::<SmallLibraryResource>();
    let app = TestApp::with_api(api).await;
    app.post("/shelves", json!({"name": "poems"})).await.expect(201);
    app
}

#[tokio::test]
async fn objects_are_created_in_their_order() {
    let app = library().await;
    let books: Vec<_> = (0..50)
        .map(|number| match number % 3 {
            0 => json!({"title": format!("book {number:02}"), "shelfId": 1}),
            _ => json!({"title": format!("book {number:02}")}),
        })
        .collect();
    let created = app.post("/books", json!(books)).await.expect(201).json();
    for (number, book) in created.as_array().unwrap().iter().enumerate() {
        assert_eq!(book["id"], number + 1);
        assert_eq!(book["title"], format!("book {number:02}"));
    }
    app.post("/shelves/1/books", json!([{"title": "a"}, {"title": "b"}]))
        .await
        .expect(201);
    let absent = json!([{"title": "c"}, {"title": "d"}]);
    app.post("/shelves/9/books", absent).await.expect(404);
    assert_eq!(app.database().value::<i64>("SELECT count(*) FROM books"), 52);
}

/// LOAD-75: the errors of objects that are loaded before the transaction, and those of the database, are reported
/// together, and nothing is written.
#[tokio::test]
async fn all_errors_are_reported_and_nothing_is_written() {
    let app = library().await;
    app.post("/books", json!({"title": "taken"})).await.expect(201);
    let before = app.database().rows();
    let books = json!([
        {"title": "new"},
        {"title": ""},
        {"title": "lost", "shelfId": 9},
        {"title": "taken"},
        {"title": "new"},
    ]);
    let rejection = app.post("/books", books).await.expect(400).json();
    let errors = rejection["errors"].as_object().unwrap();
    assert_eq!(
        errors.keys().collect::<Vec<_>>(),
        ["1", "2", "3", "4"],
        "{rejection}"
    );
    assert_eq!(app.database().rows(), before);
}

/// LOAD-75: a decorator that may look at other rows runs in the transaction, after the objects before its own.
#[tokio::test]
async fn a_decorator_sees_the_objects_before_its_own() {
    let app = library().await;
    let three = json!([{"title": "a"}, {"title": "b"}, {"title": "c"}]);
    let full = json!({"errors": {"2": {"_schema": ["The library is full."]}}});
    app.post("/small-library", three).await.expect_json(403, full);
    app.post("/small-library", json!([{"title": "a"}, {"title": "b"}]))
        .await
        .expect(201);
}

/// LOAD-75: an independent decorator handles the reply when the rows of all objects are committed.
#[tokio::test]
async fn an_independent_decorator_handles_replies_after_the_commit() {
    let app = library().await;
    let books = json!([{"title": "a"}, {"title": "b"}, {"title": "c"}]);
    let created = app.post("/counted", books).await.expect(201).json();
    let counts: Vec<_> = created
        .as_array()
        .unwrap()
        .iter()
        .map(|book| &book["books"])
        .collect();
    assert_eq!(counts, [3, 3, 3]);
}
