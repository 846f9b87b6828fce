//! Fields whose types accept only some values of their data type.

use model_resource::schema::column_type::{ColumnType, TypeMismatch};
use model_resource::schema::data_type::DataType;
use model_resource::schema::value::ValueRef;
use model_resource::{
    Api, CREATE, Context, Model, ModelResource, ModelSerializer, Operations, Reply, Result, model_resource,
    serializer,
};
use serde_json::json;
use test_support::{TestApp, startup_errors};

use super::expect_error;

/// A string of 13 digits.
#[derive(Debug)]
struct Isbn(String);

impl ColumnType for Isbn {
    const DATA_TYPE: DataType = DataType::Text;

    fn to_value(&self) -> ValueRef<'_> {
        self.0.to_value()
    }

    fn from_value(value: ValueRef<'_>) -> std::result::Result<Self, TypeMismatch> {
        let text = String::from_value(value)?;
        if text.len() == 13 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(text))
        } else {
            Err(TypeMismatch::new(Self::DATA_TYPE, value).with_message("Not a valid ISBN."))
        }
    }
}

/// An even number, without a custom message.
#[derive(Debug)]
struct Even(i32);

impl ColumnType for Even {
    const DATA_TYPE: DataType = DataType::I32;

    fn to_value(&self) -> ValueRef<'_> {
        self.0.to_value()
    }

    fn from_value(value: ValueRef<'_>) -> std::result::Result<Self, TypeMismatch> {
        i32::from_value(value).and_then(|number| match number % 2 {
            0 => Ok(Self(number)),
            _ => Err(TypeMismatch::new(Self::DATA_TYPE, value)),
        })
    }
}

#[derive(Model)]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(unique, trim)]
    isbn: Isbn,
    #[column(message(type = "Even numbers only."))]
    pages: Option<Even>,
    #[column(default = 2)]
    copies: Even,
}

struct BookSerializer;

#[serializer]
impl ModelSerializer for BookSerializer {
    type Model = Book;
}

struct BookResource;

#[model_resource(Book, "/books", "/books/<int:id>")]
impl ModelResource for BookResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    async fn get(_: Context, book: Book) -> Result<Reply> {
        Reply::json(&json!([
            book.isbn.0,
            book.pages.map(|pages| pages.0),
            book.copies.0
        ]))
    }
}

/// SER-29: a value that the field's type rejects is an error of the field and is not stored, so that every row can be
/// read as its model.
#[tokio::test]
async fn a_value_that_the_type_of_its_field_rejects_is_an_error_of_the_field() {
    let api = Api::new("api").serializer::<BookSerializer>();
    let app = TestApp::with_api(api.model_resource::<BookResource>()).await;
    app.post("/books", json!({"isbn": " 9783161484100", "pages": null}))
        .await
        .expect(201);
    app.get("/books/1")
        .await
        .expect_json(200, json!(["9783161484100", null, 2]));
    let before = app.database().rows();
    let range = "Not a valid integer between -2147483648 and 2147483647.";
    for (field, value, message) in [
        ("isbn", json!("978"), "Not a valid ISBN."),
        ("isbn", json!(1), "Not a valid string."),
        ("pages", json!(3), "Even numbers only."),
        ("pages", json!("4"), "Even numbers only."),
        ("copies", json!(3), range),
        ("copies", json!(null), "Copies may not be null."),
    ] {
        let mut body = json!({"isbn": "9783161484101"});
        body[field] = value.clone();
        expect_error(app.post("/books", body.clone()).await, field, message);
        expect_error(app.put("/books/1", body.clone()).await, field, message);
        expect_error(app.patch("/books/1", json!({field: value})).await, field, message);
        app.post("/books", json!([body]))
            .await
            .expect_json(400, json!({"errors": {"0": {field: [message]}}}));
    }
    assert_eq!(app.database().rows(), before);
}

#[derive(Model)]
struct Odd {
    #[column(primary_key)]
    id: i64,
    #[column(default = 3)]
    copies: Even,
}

struct OddSerializer;

#[serializer]
impl ModelSerializer for OddSerializer {
    type Model = Odd;
}

#[model_resource(Odd, "/odds")]
struct OddResource;

/// SER-29: a default that the field's type rejects is rejected at startup.
#[tokio::test]
async fn a_default_that_the_type_of_its_field_rejects_is_rejected_at_startup() {
    let mistakes = startup_errors(
        Api::new("api")
            .serializer::<OddSerializer>()
            .model_resource::<OddResource>(),
    )
    .await;
    assert!(
        mistakes[0].contains("default = 3 of column `copies`"),
        "{mistakes:?}"
    );
}
