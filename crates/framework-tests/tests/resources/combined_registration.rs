//! Resources that bring their serializers and their policy along.

use model_resource::schema::serializer::SerializerFields;
use model_resource::{
    Api, Caller, Context, Model, ModelPolicy, ModelResource, ModelSerializer, Result, Where, model_resource,
    route, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "books")]
struct Book {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(default = false)]
    draft: bool,
    #[column(hidden)]
    note: Option<String>,
}

#[model_resource(Book, "/books", "/books/<int:id>")]
struct BookResource;

struct BookSerializer;

#[serializer]
impl ModelSerializer for BookSerializer {
    type Model = Book;

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields.computed("shelf", |book: &Book| format!("shelf {}", book.id))
    }
}

struct BookListSerializer;

#[serializer(many)]
impl ModelSerializer for BookListSerializer {
    type Model = Book;
}

struct BookPolicy;

impl ModelPolicy for BookPolicy {
    type Model = Book;

    fn visible(_: &Caller) -> Where<Book> {
        Book::DRAFT.eq(false)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

struct Shelf;

#[model_resource(Book, "/shelf", "/shelf/<int:id>", serializers = [BookSerializer, BookListSerializer], policy = BookPolicy)]
impl ModelResource for Shelf {}

#[model_resource(Book, "/copies", serializer = BookSerializer, policy = BookPolicy)]
struct Copies;

/// REG-40: a resource without a serializer shows and takes all columns that are not hidden.
#[tokio::test]
async fn a_resource_without_a_serializer_has_all_columns_that_are_not_hidden() {
    let app = TestApp::with_api(Api::new("books").model_resource::<BookResource>()).await;
    let book = json!({"id": 1, "title": "Ada", "draft": false});
    app.post("/books", json!({"title": "Ada"}))
        .await
        .expect_json(201, book.clone());
    app.get("/books").await.expect_json(200, json!([book]));
    app.post("/books", json!({"title": "Bob", "note": "x"}))
        .await
        .expect(400);
    app.get("/books").await.expect_json(200, json!([book]));
}

/// REG-41: one call registers a resource with its serializers and its policy, also where resources share them.
#[tokio::test]
async fn one_call_registers_serializers_and_policy() {
    let api = Api::new("books")
        .model_resource::<Shelf>()
        .model_resource::<Copies>();
    let app = TestApp::with_api(api).await;
    let book = json!({"id": 1, "title": "Ada", "draft": false, "shelf": "shelf 1"});
    app.post("/shelf", json!({"title": "Ada"}))
        .await
        .expect_json(201, book.clone());
    app.post("/copies", json!({"title": "Bob", "draft": true}))
        .await
        .expect(201);
    app.get("/shelf/1").await.expect_json(200, book);
    app.get("/shelf/2").await.expect(404);
    let listed = json!([{"id": 1, "title": "Ada", "draft": false}]);
    app.get("/shelf").await.expect_json(200, listed);
}

/// REG-41: what a resource brings along may be registered by the api too.
#[tokio::test]
async fn a_serializer_and_a_policy_may_be_registered_twice() {
    let api = Api::new("books")
        .serializer::<BookSerializer>()
        .policy::<BookPolicy>();
    let app = TestApp::with_api(api.model_resource::<Shelf>()).await;
    app.get("/shelf").await.expect_json(200, json!([]));
}

#[route("/first")]
async fn first(cx: Context) -> Result<Value> {
    let book = Book {
        id: 7,
        title: "Ada".to_owned(),
        draft: true,
        note: Some("secret".to_owned()),
    };
    cx.serializer::<Book>()?.dump(&book).await
}

/// REG-42: `cx.serializer` of a model without a registered serializer is the default one.
#[tokio::test]
async fn a_model_without_a_resource_has_the_default_serializer() {
    let app = TestApp::with_api(Api::new("books").route(first)).await;
    app.get("/first")
        .await
        .expect_json(200, json!({"id": 7, "title": "Ada", "draft": true}));
}
