//! Serializers in handlers and views.

mod dumping;
mod loading;

use axum::Json;
use model_resource::{
    Api, Caller, Columns, Context, Draft, Envelope, Error, Errors, ExtraField, Model, ModelPolicy,
    ModelResource, ModelSerializer, Params, Reply, Result, SerializerFields, Where, WrappedSerializer,
    WriteMode, model_resource, route, serializer,
};
use serde::Serialize;
use serde_json::{Value, json};
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
struct Author {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 2)]
    title: String,
    #[column(references = Author)]
    author_id: i64,
    #[column(default = 1)]
    copies: i64,
    price: Option<i64>,
    #[column(default = 0)]
    owner_id: i64,
}

struct AuthorSerializer;

#[serializer]
impl ModelSerializer for AuthorSerializer {
    type Model = Author;
}

struct BookSerializer;

#[serializer]
impl ModelSerializer for BookSerializer {
    type Model = Book;

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields
            .embed::<AuthorSerializer>("author", Book::AUTHOR_ID)
            .computed("label", |book: &Book| format!("{} ({})", book.title, book.copies))
    }

    fn validate(draft: &Draft<Book>, _: WriteMode, errors: &mut Errors) {
        if draft.get(Book::TITLE).as_deref() == Some("Untitled") {
            errors.add("title", "Choose a title.");
        }
    }
}

struct BookListSerializer;

#[serializer(many)]
impl ModelSerializer for BookListSerializer {
    type Model = Book;
    const FIELDS: Columns<Book> = Columns::of(Book::ID).and(Book::TITLE);

    fn envelope() -> Option<Envelope> {
        WrappedSerializer::<BookSerializer>::envelope()
    }
}

struct NewBookSerializer;

#[serializer(create)]
impl ModelSerializer for NewBookSerializer {
    type Model = Book;
    const EXCLUDE: Columns<Book> = Columns::of(Book::COPIES);

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        let dozens = ExtraField::<Book, i64>::new("dozens");
        fields.write_only(dozens.into_column(Book::COPIES, |dozens: i64| dozens * 12))
    }
}

/// A serializer that is not registered.
struct TitleSerializer;

#[serializer]
impl ModelSerializer for TitleSerializer {
    type Model = Book;
    const FIELDS: Columns<Book> = Columns::of(Book::TITLE);

    fn validate(draft: &Draft<Book>, _: WriteMode, errors: &mut Errors) {
        if draft.get(Book::TITLE).is_some_and(|title| title.len() > 10) {
            errors.add("title", "Too long for a label.");
        }
    }
}

struct AuthorResource;

#[model_resource(Author, "/authors", "/authors/<int:id>")]
impl ModelResource for AuthorResource {
    const PUBLIC: bool = true;
}

#[model_resource(Book, "/books", "/books/<int:id>")]
struct BookResource;

/// Only staff see prices, no caller sets the owner, and new books belong to their creator.
struct BookPolicy;

impl ModelPolicy for BookPolicy {
    type Model = Book;

    fn visible(_: &Caller) -> Where<Book> {
        Where::all()
    }

    fn updatable(caller: &Caller) -> Where<Book> {
        if caller.is_authenticated() {
            Where::all()
        } else {
            Where::none()
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<Book> {
        let mut given = Draft::new();
        if let Some(id) = caller.key() {
            given.set(Book::OWNER_ID, id);
        }
        given
    }

    fn hidden(caller: &Caller) -> Columns<Book> {
        if caller.has_role("staff") {
            Columns::none()
        } else {
            Columns::of(Book::PRICE)
        }
    }

    fn read_only(caller: &Caller) -> Columns<Book> {
        if caller.has_role("staff") {
            Columns::none()
        } else {
            Columns::of(Book::COPIES)
        }
    }
}

async fn first_book(cx: &Context) -> Result<Book> {
    cx.store_unchecked()
        .get::<Book>(1)
        .await?
        .ok_or_else(Error::not_found)
}

#[route("/dumped")]
async fn dumped(cx: Context) -> Result<Json<Value>> {
    let book = first_book(&cx).await?;
    let mut draft = Draft::of(&book);
    draft.set(Book::TITLE, "Changed".to_owned());
    let mut new = Draft::<Book>::new();
    new.set(Book::TITLE, "New".to_owned());
    let single = cx.serializer::<Book>()?;
    Ok(Json(json!({
        "one": single.dump(&book).await?,
        "draft": single.dump_draft(&draft).await?,
        "new": cx.serializer_create::<Book>()?.dump_draft(&new).await?,
        "many": cx.serializer_many::<Book>()?.dump_many(&[book.clone(), book.clone()]).await?,
        "none": cx.serializer_many::<Book>()?.dump_many(&[]).await?,
        "label": cx.serializer_of::<TitleSerializer>()?.dump(&book).await?,
    })))
}

/// Loads a book from the body, and from a value inside it.
#[route("/loaded", methods = [POST])]
async fn loaded(cx: Context) -> Result<Reply> {
    let (draft, errors) = cx.serializer_create::<Book>()?.load_body().await?;
    if errors.is_empty() {
        cx.created(draft).await
    } else {
        cx.errors(errors)
    }
}

#[route("/checked", methods = [POST])]
async fn checked(cx: Context, Json(sent): Json<Value>) -> Result<Reply> {
    let serializer = cx.serializer::<Book>()?;
    let (draft, errors) = serializer.load(&sent["book"]).await?;
    if !errors.is_empty() {
        return cx.errors(errors);
    }
    Reply::json(&serializer.dump_draft(&draft).await?)
}

#[route("/labels/<int:id>", methods = [PATCH])]
async fn relabel(cx: Context, params: Params) -> Result<Reply> {
    let id = params.get("id").and_then(|id| id.parse::<i64>().ok());
    let book = cx.store_unchecked().get::<Book>(id.unwrap_or_default()).await?;
    let book = book.ok_or_else(Error::not_found)?;
    let serializer = cx.serializer_of::<TitleSerializer>()?;
    let (draft, errors) = serializer
        .load_body_onto(Draft::of(&book), WriteMode::Update)
        .await?;
    if errors.is_empty() {
        cx.updated(draft).await
    } else {
        cx.errors(errors)
    }
}

#[route("/raised/<int:id>", methods = [POST])]
async fn raised(cx: Context) -> Result<Reply> {
    let book = first_book(&cx).await?;
    let change = json!({"copies": book.copies + 1, "price": 5});
    let serializer = cx.serializer::<Book>()?;
    let (draft, errors) = serializer
        .load_onto(Draft::of(&book), WriteMode::Update, &change)
        .await?;
    if errors.is_empty() {
        cx.updated(draft).await
    } else {
        cx.errors(errors)
    }
}

#[derive(Serialize)]
struct Receipt {
    total: i64,
}

#[route("/receipts", methods = [POST])]
async fn receipt(cx: Context) -> Result<Reply> {
    cx.created_unsaved(Json(Receipt { total: 7 }))
}

#[route("/values", methods = [POST])]
async fn value(cx: Context) -> Result<Reply> {
    cx.created_unsaved(json!({"total": 8}))
}

struct ShownBookResource;

#[model_resource(Book, "/shown", "/shown/<int:id>")]
impl ModelResource for ShownBookResource {
    const EXCLUDE_METHODS: model_resource::Operations = model_resource::Operations::of([model_resource::PUT]);

    /// Returns an unsaved instance as if it were saved.
    async fn create(cx: Context, book: Draft<Book>) -> Result<Reply> {
        cx.created_unsaved(Book {
            id: 9,
            title: book.get(Book::TITLE).unwrap_or_default(),
            author_id: 1,
            copies: 2,
            price: Some(3),
            owner_id: 4,
        })
    }
}

/// Starts an app with one author and one book.
async fn app() -> TestApp {
    let api = Api::new("library")
        .authenticator(HeaderAuthenticator)
        .serializer::<AuthorSerializer>()
        .serializer::<BookSerializer>()
        .serializer::<BookListSerializer>()
        .serializer::<NewBookSerializer>()
        .policy::<BookPolicy>()
        .model_resource::<AuthorResource>()
        .model_resource::<BookResource>()
        .model_resource::<ShownBookResource>();
    let api = api
        .route(dumped)
        .route(loaded)
        .route(checked)
        .route(relabel)
        .route(raised);
    let app = TestApp::with_api(api.route(receipt).route(value)).await;
    app.post("/authors", json!({"name": "Ann"})).await.expect(201);
    let staff = app.as_caller("7 staff");
    let book = json!({"title": "First", "authorId": 1, "price": 9, "dozens": 1});
    staff.post("/books", book).await.expect(201);
    app
}
