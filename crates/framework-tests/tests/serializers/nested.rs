//! Nested serializers.

use model_resource::{
    Api, Columns, Model, ModelSerializer, SerializerFields, WrappedSerializer, model_resource, serializer,
};
use serde_json::json;
use test_support::{TestApp, startup_errors};

#[derive(Model)]
struct Publisher {
    #[column(primary_key)]
    id: i64,
    name: String,
    city: Option<String>,
}

#[derive(Model)]
struct Series {
    #[column(primary_key)]
    id: i64,
    #[column(references = Publisher)]
    publisher_id: i64,
}

#[derive(Model)]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(references = Publisher, on_delete = set_null)]
    publisher_id: Option<i64>,
    #[column(references = Series, on_delete = set_null)]
    series_id: Option<i64>,
    shelf: Option<i64>,
}

struct PublisherSerializer;

#[serializer]
impl ModelSerializer for PublisherSerializer {
    type Model = Publisher;
    const EXCLUDE: Columns<Publisher> = Columns::of(Publisher::CITY);
}

struct SeriesSerializer;

#[serializer]
impl ModelSerializer for SeriesSerializer {
    type Model = Series;

    fn fields(fields: SerializerFields<Series>) -> SerializerFields<Series> {
        fields.embed::<PublisherSerializer>("publisher", Series::PUBLISHER_ID)
    }
}

struct PlainSerializer;

#[serializer]
impl ModelSerializer for PlainSerializer {
    type Model = Book;

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields
            .embed::<PublisherSerializer>("publisher", Book::PUBLISHER_ID)
            .embed::<SeriesSerializer>("series", Book::SERIES_ID)
    }
}

struct WrappingSerializer;

#[serializer]
impl ModelSerializer for WrappingSerializer {
    type Model = Book;
    const FIELDS: Columns<Book> = Columns::of(Book::ID).and(Book::PUBLISHER_ID);

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields.embed::<WrappedSerializer<PublisherSerializer>>("publisher", Book::PUBLISHER_ID)
    }
}

struct WrongSerializer;

#[serializer]
impl ModelSerializer for WrongSerializer {
    type Model = Book;

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields.embed::<PublisherSerializer>("publisher", Book::SHELF)
    }
}

#[model_resource(Publisher, "/publishers")]
struct PublisherResource;

#[model_resource(Series, "/series")]
struct SeriesResource;

#[model_resource(Book, "/books", "/books/<int:id>")]
struct BookResource;

fn api() -> Api {
    Api::new("api")
        .serializer::<PublisherSerializer>()
        .model_resource::<PublisherResource>()
        .serializer::<SeriesSerializer>()
        .model_resource::<SeriesResource>()
        .model_resource::<BookResource>()
}

async fn with_publishers(api: Api) -> TestApp {
    let app = TestApp::with_api(api).await;
    for name in ["One", "Two"] {
        app.post("/publishers", json!({ "name": name })).await.expect(201);
    }
    app.post("/series", json!({"publisherId": 2})).await.expect(201);
    app
}

/// SER-20: the nested object is under the field's key, with its own nested objects, or `null` if none exists.
#[tokio::test]
async fn a_nested_object_is_under_the_fields_key() {
    let app = with_publishers(api().serializer::<PlainSerializer>()).await;
    let one = json!({"id": 1, "name": "One"});
    let series = json!({"id": 1, "publisherId": 2, "publisher": {"id": 2, "name": "Two"}});
    let full = json!({
        "id": 1, "publisherId": 1, "seriesId": 1, "shelf": null, "publisher": one, "series": series,
    });
    let bare = json!({
        "id": 2, "publisherId": null, "seriesId": null, "shelf": null, "publisher": null, "series": null,
    });
    app.post("/books", json!({"publisherId": 1, "seriesId": 1}))
        .await
        .expect_json(201, full.clone());
    app.post("/books", json!({})).await.expect_json(201, bare.clone());
    app.get("/books/1").await.expect_json(200, full.clone());
    app.get("/books").await.expect_json(200, json!([full, bare]));

    let moved = app
        .patch("/books/1", json!({"publisherId": 2}))
        .await
        .expect(200)
        .json();
    assert_eq!(moved["publisher"], json!({"id": 2, "name": "Two"}));
}

/// SER-20, SER-13: a nested object is read-only.
#[tokio::test]
async fn a_nested_object_in_a_body_has_no_effect() {
    let app = with_publishers(api().serializer::<PlainSerializer>()).await;
    let book = app
        .post("/books", json!({"publisherId": 1}))
        .await
        .expect(201)
        .json();
    app.patch("/books/1", json!({"publisher": {"id": 2, "name": "Mine"}}))
        .await
        .expect_json(200, book);
    let publishers = json!([{"id": 1, "name": "One"}, {"id": 2, "name": "Two"}]);
    app.get("/publishers").await.expect_json(200, publishers);
}

/// SER-20: a nested wrapped serializer keeps its envelope.
#[tokio::test]
async fn a_nested_wrapped_serializer_keeps_its_envelope() {
    let app = with_publishers(api().serializer::<WrappingSerializer>()).await;
    let bare = json!({"id": 1, "publisherId": null, "publisher": null});
    let full = json!({"id": 2, "publisherId": 2, "publisher": {"publisher": {"id": 2, "name": "Two"}}});
    app.post("/books", json!({})).await.expect_json(201, bare.clone());
    app.post("/books", json!({"publisherId": 2}))
        .await
        .expect_json(201, full.clone());
    app.get("/books/2").await.expect_json(200, full.clone());
    app.get("/books").await.expect_json(200, json!([bare, full]));
}

/// SER-20: nesting along a column that references another model is rejected at startup.
#[tokio::test]
async fn nesting_along_a_column_of_another_model_is_rejected_at_startup() {
    let mistakes = startup_errors(api().serializer::<WrongSerializer>()).await;
    assert!(
        mistakes.iter().any(|mistake| mistake
            == "relation `publisher`: column `shelf` of Book must have `references = Publisher`"),
        "{mistakes:?}"
    );
}
