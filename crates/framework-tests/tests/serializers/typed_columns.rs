//! Columns of newtypes with `#[derive(ColumnType)]`.

use bytes::Bytes;
use http::Method;
use model_resource::{
    Api, CREATE, ColumnType, Columns, Context, Decimal, Model, ModelResource, ModelSerializer, Operations,
    PATCH, Reply, Result, SerializerFields, Uuid, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{TestApp, startup_errors};

use super::expect_error;

#[derive(Debug, Clone, Copy, PartialEq, ColumnType)]
struct AuthorId(i64);

#[derive(Debug, Clone, Copy, PartialEq, ColumnType)]
struct BookId(Uuid);

/// A string of 13 digits, which may be sent with hyphens.
#[derive(Debug, Clone, PartialEq, ColumnType)]
#[column(try_from)]
struct Isbn(String);

impl TryFrom<String> for Isbn {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.replace('-', "");
        if digits.len() == 13 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(digits))
        } else {
            Err("Not a valid ISBN.".to_owned())
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ColumnType)]
#[column(validate = check_pages)]
struct Pages(i32);

fn check_pages(pages: &i32) -> Result<(), &'static str> {
    if *pages > 0 {
        Ok(())
    } else {
        Err("A book has pages.")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ColumnType)]
#[column(precision = 8, scale = 2)]
struct Price(Decimal);

#[derive(Debug, Clone, Model)]
struct Author {
    #[column(primary_key)]
    id: AuthorId,
    name: String,
}

#[derive(Debug, Clone, Model)]
struct Book {
    #[column(primary_key)]
    id: BookId,
    #[column(references = Author)]
    author_id: AuthorId,
    #[column(unique, trim)]
    isbn: Isbn,
    pages: Option<Pages>,
    #[column(default = "1.5", min = "0")]
    price: Price,
}

struct BookSerializer;

#[serializer]
impl ModelSerializer for BookSerializer {
    type Model = Book;

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields.belongs_to::<AuthorSerializer>("author", Book::AUTHOR_ID)
    }
}

struct AuthorSerializer;

#[serializer]
impl ModelSerializer for AuthorSerializer {
    type Model = Author;
}

#[model_resource(Author, "/authors", "/authors/<int:id>", serializer = AuthorSerializer)]
struct AuthorResource;

struct BookResource;

#[model_resource(Book, "/books", "/books/<isbn>", "/authors/<int:author_id>/books", serializer = BookSerializer)]
impl ModelResource for BookResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
    const AGGREGATE: Columns<Book> = Columns::of(Book::AUTHOR_ID).and(Book::PRICE).and(Book::PAGES);

    async fn get(_: Context, book: Book) -> Result<Reply> {
        let pages = book.pages.map(|pages| pages.0);
        Reply::json(&json!([
            book.author_id.0,
            book.isbn.0,
            pages,
            book.price.0.to_string()
        ]))
    }
}

fn api() -> Api {
    Api::new("api")
        .model_resource::<AuthorResource>()
        .model_resource::<BookResource>()
}

async fn app() -> TestApp {
    let app = TestApp::with_api(api()).await;
    app.post("/authors", json!({"name": "Ann"})).await.expect(201);
    app.post("/authors", json!({"name": "Bob"})).await.expect(201);
    app
}

const ONE: &str = "9783161484100";
const TWO: &str = "9783161484101";

/// MOD-11: a newtype is stored as its inner value, normalized by `try_from` on every input path and in URLs.
#[tokio::test]
async fn a_newtype_is_normalized_on_every_input_path() {
    let app = app().await;
    let hyphens = " 978-3-16-148410-0 ";
    let made = app
        .post("/books", json!({"authorId": 1, "isbn": hyphens, "pages": 7}))
        .await
        .expect(201)
        .json();
    assert_eq!((&made["isbn"], &made["price"]), (&json!(ONE), &json!("1.50")));
    assert!(made["id"].as_str().is_some_and(|id| id.len() == 36), "{made}");
    app.get("/books/978-3-16-148410-0")
        .await
        .expect_json(200, json!([1, ONE, 7, "1.50"]));
    let taken = json!([{"authorId": 1, "isbn": "978-316-1484100"}]);
    let message = "Isbn is already taken.";
    app.post("/books", taken)
        .await
        .expect_json(400, json!({"errors": {"0": {"isbn": [message]}}}));
    let csv = "authorId,isbn,pages\n2,978-3-16-148410-1,3\n";
    app.send(Method::POST, "/books", Some(("text/csv", Bytes::from(csv))))
        .await
        .expect(201);
    app.get(&format!("/books/{TWO}"))
        .await
        .expect_json(200, json!([2, TWO, 3, "1.50"]));
    app.patch("/books/978-3-16-148410-1", json!({"isbn": "978-3-16-148410-2"}))
        .await
        .expect(200);
    app.get(&format!("/books/{TWO}")).await.expect(404);
    app.get("/books/nonsense").await.expect(404);
}

/// MOD-11: a value that the newtype rejects is an error of the field with the newtype's message, and is not stored.
#[tokio::test]
async fn a_value_that_a_newtype_rejects_is_an_error_of_the_field() {
    let app = app().await;
    let good = json!({"authorId": 1, "isbn": ONE});
    app.post("/books", good.clone()).await.expect(201);
    let before = app.database().rows();
    for (field, value, message) in [
        ("isbn", json!("978"), "Not a valid ISBN."),
        ("isbn", json!(978), "Not a valid string."),
        ("pages", json!(0), "A book has pages."),
        ("price", json!("-1"), "Must be at least 0.00."),
        (
            "price",
            json!("1.555"),
            "At most 2 digits after the decimal point.",
        ),
        (
            "authorId",
            json!("1"),
            "Not a valid integer between -9223372036854775808 and 9223372036854775807.",
        ),
    ] {
        let mut body = json!({"authorId": 1, "isbn": TWO});
        body[field] = value.clone();
        expect_error(app.post("/books", body.clone()).await, field, message);
        app.post("/books", json!([body]))
            .await
            .expect_json(400, json!({"errors": {"0": {field: [message]}}}));
        let patch = json!({field: value});
        expect_error(app.patch(&format!("/books/{ONE}"), patch).await, field, message);
    }
    expect_error(
        app.post("/books", json!({"authorId": 9, "isbn": TWO})).await,
        "authorId",
        "Author Id does not exist.",
    );
    assert_eq!(app.database().rows(), before);
}

/// MOD-11: filters, sorting, relations, nested URLs, aggregates and typed queries use newtypes like their inner types.
#[tokio::test]
async fn queries_use_newtypes_like_their_inner_types() {
    let app = app().await;
    for (author, last, pages, price) in [(1, 0, 300, "2.50"), (1, 1, 100, "1.25"), (2, 2, 200, "9.00")] {
        let isbn = format!("978316148410{last}");
        let book = json!({"authorId": author, "isbn": isbn, "pages": pages, "price": price});
        app.post("/books", book).await.expect(201);
    }
    let found = async |url: &str| -> Vec<Value> {
        let list = app.get(url).await.expect(200).json();
        let books = list.as_array().unwrap().iter();
        books.map(|book| book["pages"].clone()).collect()
    };
    assert_eq!(found("/books?sort=-price").await, [200, 300, 100]);
    assert_eq!(found("/books?pages[gte]=200&sort=pages").await, [200, 300]);
    assert_eq!(
        found("/books?isbn[startswith]=97831614841&authorId=1&sort=isbn").await,
        [300, 100]
    );
    assert_eq!(found("/books?author.name=Bob").await, [200]);
    assert_eq!(found("/authors/1/books?sort=pages").await, [100, 300]);
    let expanded = app
        .get("/books?expand=author&author.id=2")
        .await
        .expect(200)
        .json();
    assert_eq!(expanded[0]["author"], json!({"id": 2, "name": "Bob"}));
    let groups = app
        .get("/books?group=authorId&sum(price)&sum(pages)&sort=authorId")
        .await;
    assert_eq!(
        groups.expect(200).json()[0],
        json!({"authorId": 1, "priceSum": "3.75", "pagesSum": 400})
    );

    let query = Book::query().filter(
        Book::AUTHOR_ID
            .eq(AuthorId(1))
            .and(Book::PRICE.gt(Price("1.25".parse().unwrap()))),
    );
    let books = app.store.all(&query).await.unwrap();
    assert_eq!(books.len(), 1);
    assert_eq!(
        (books[0].pages, books[0].price),
        (Some(Pages(300)), Price("2.50".parse().unwrap()))
    );
    let author: Option<Author> = app.store.get(AuthorId(2)).await.unwrap();
    assert_eq!(author.map(|author| author.name).as_deref(), Some("Bob"));
    let book: Option<Book> = app.store.get(books[0].id).await.unwrap();
    assert_eq!(book.map(|book| book.isbn), Some(Isbn(ONE.to_owned())));
    let sums = Book::query().group_by(Book::AUTHOR_ID).sum(Book::PRICE);
    let sums = app.store.aggregate(&sums).await.unwrap();
    let sum: Decimal = sums[0].get(Book::PRICE.sum()).unwrap();
    assert_eq!(
        (sums[0].get(Book::AUTHOR_ID).unwrap(), sum),
        (AuthorId(1), "3.75".parse().unwrap())
    );
}

/// MOD-11: the OpenAPI document describes a newtype by its inner type.
#[test]
fn a_newtype_is_described_by_its_inner_type() {
    let document = api().compile().openapi_document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut properties = schemas.values().map(|schema| &schema["properties"]);
    let book = properties
        .find(|properties| properties["id"]["format"] == "uuid")
        .unwrap();
    assert_eq!(book["authorId"]["format"], "int64");
    assert_eq!(book["isbn"]["type"], "string");
    assert_eq!(book["price"]["format"], "decimal");
}

#[derive(Model)]
struct Odd {
    #[column(primary_key)]
    id: i64,
    #[column(default = "978-3-16-148410-0")]
    isbn: Isbn,
}

#[model_resource(Odd, "/odds")]
struct OddResource;

/// MOD-11: a text as default in a form that the newtype changes is rejected at startup, with the form that it stores.
#[tokio::test]
async fn a_default_in_another_form_is_rejected_at_startup() {
    let mistakes = startup_errors(Api::new("api").model_resource::<OddResource>()).await;
    assert!(mistakes[0].contains("write \"9783161484100\""), "{mistakes:?}");
}
