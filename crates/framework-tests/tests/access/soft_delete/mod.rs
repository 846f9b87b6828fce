//! Soft deletion: a shop whose articles, authors, parts, labels and covers are deleted by `#[column(soft_delete)]`.

mod declarations;
mod deletions;
mod heard;
mod restored;
mod shown;
mod unseen;

use model_resource::{
    Api, CREATE, Caller, Columns, Context, DELETE, Error, Model, ModelPolicy, ModelResource, ModelSerializer,
    Operations, PATCH, Query, Reply, Result, SerializerFields, Timestamp, Where, model_resource, route,
    serializer,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

/// Author, whose model has no policy, so that nobody sees deleted ones.
#[derive(Debug, Clone, Model)]
#[model(table = "authors")]
struct Author {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "books", unique(isbn, where = Book::DELETED_AT.is_null()))]
struct Book {
    #[column(primary_key)]
    id: i64,
    title: String,
    isbn: Option<String>,
    #[column(references = Author)]
    author_id: Option<i64>,
    #[column(default = false)]
    is_locked: bool,
    #[column(version)]
    version: i64,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

/// Part of a book, written with it.
#[derive(Debug, Clone, Model)]
#[model(table = "parts")]
struct Part {
    #[column(primary_key)]
    id: i64,
    #[column(references = Book, on_delete = cascade)]
    book_id: i64,
    name: String,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "covers")]
struct Cover {
    #[column(primary_key)]
    id: i64,
    #[column(references = Book, unique)]
    book_id: i64,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "labels")]
struct Label {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

/// Join model without soft deletion.
#[derive(Debug, Clone, Model)]
#[model(table = "book_labels")]
struct BookLabel {
    #[column(primary_key)]
    id: i64,
    #[column(references = Book)]
    book_id: i64,
    #[column(references = Label)]
    label_id: i64,
}

struct AuthorSerializer;

#[serializer]
impl ModelSerializer for AuthorSerializer {
    type Model = Author;
    const EXCLUDE: Columns<Author> = Columns::of(Author::DELETED_AT);

    fn fields(fields: SerializerFields<Author>) -> SerializerFields<Author> {
        fields.has_many::<BookSerializer>("books", Book::AUTHOR_ID)
    }
}

struct BookSerializer;

#[serializer]
impl ModelSerializer for BookSerializer {
    type Model = Book;

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields
            .belongs_to::<AuthorSerializer>("author", Book::AUTHOR_ID)
            .has_many::<PartSerializer>("parts", Part::BOOK_ID)
            .writable("parts")
            .has_one::<CoverSerializer>("cover", Cover::BOOK_ID)
            .many_to_many::<LabelSerializer>("labels", BookLabel::BOOK_ID, BookLabel::LABEL_ID)
            .as_member("labels", Label::NAME)
            .writable("labels")
    }
}

struct PartSerializer;

#[serializer]
impl ModelSerializer for PartSerializer {
    type Model = Part;
    const EXCLUDE: Columns<Part> = Columns::of(Part::DELETED_AT);
}

struct CoverSerializer;

#[serializer]
impl ModelSerializer for CoverSerializer {
    type Model = Cover;
    const EXCLUDE: Columns<Cover> = Columns::of(Cover::DELETED_AT);
}

struct LabelSerializer;

#[serializer]
impl ModelSerializer for LabelSerializer {
    type Model = Label;
    const EXCLUDE: Columns<Label> = Columns::of(Label::DELETED_AT);
}

struct AuthorResource;

#[model_resource(Author, "/authors", "/authors/<int:id>", serializer = AuthorSerializer)]
impl ModelResource for AuthorResource {
    const PUBLIC: bool = true;
}

struct BookResource;

#[model_resource(
    Book, "/books", "/books/<int:id>", "/authors/<int:author_id>/books", "/authors/<int:author_id>/books/<int:id>",
    serializer = BookSerializer, policy = BookPolicy
)]
impl ModelResource for BookResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
    const FILTER_METHODS: Operations = Operations::of([PATCH, DELETE]);
    const AGGREGATE: Columns<Book> = Columns::of(Book::AUTHOR_ID);
    const SEARCH: Columns<Book> = Columns::of(Book::TITLE);
    const RESTORE: bool = true;
}

struct PartResource;

#[model_resource(Part, "/books/<int:book_id>/parts", "/parts/<int:id>", serializer = PartSerializer)]
impl ModelResource for PartResource {
    const PUBLIC: bool = true;
}

struct CoverResource;

#[model_resource(Cover, "/covers", "/covers/<int:id>", serializer = CoverSerializer)]
impl ModelResource for CoverResource {
    const PUBLIC: bool = true;
}

struct LabelResource;

#[model_resource(Label, "/labels", "/labels/<name>", serializer = LabelSerializer)]
impl ModelResource for LabelResource {
    const PUBLIC: bool = true;
}

#[model_resource(BookLabel, "/book-labels")]
struct BookLabelResource;

/// The desk sees deleted books and restores them, unless they are locked. Clerks see deleted books with an ISBN, and
/// restore none.
struct BookPolicy;

impl ModelPolicy for BookPolicy {
    type Model = Book;

    fn shows_deleted(caller: &Caller) -> Where<Book> {
        match (caller.has_role("desk"), caller.has_role("clerk")) {
            (true, _) => Where::all(),
            (_, true) => !Book::ISBN.is_null(),
            _ => Where::none(),
        }
    }

    fn updatable(caller: &Caller) -> Where<Book> {
        match (caller.is_authenticated(), caller.has_role("clerk")) {
            (true, false) => Book::IS_LOCKED.eq(false),
            _ => Where::none(),
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

/// Titles of the books that exist for the caller.
#[route("/titles")]
async fn titles(cx: Context) -> Result<Reply> {
    let books = cx.list(&Query::<Book>::new()).await?;
    Reply::json(&books.into_iter().map(|book| book.title).collect::<Vec<_>>())
}

fn book_id(cx: &Context) -> i64 {
    let id = cx.params().get("book").and_then(|id| id.parse().ok());
    id.unwrap_or(0)
}

#[route("/titles/<int:book>")]
async fn title(cx: Context) -> Result<Reply> {
    let book: Book = cx.find(book_id(&cx)).await?.ok_or_else(Error::not_found)?;
    Reply::json(&book.title)
}

/// Deletes a book by a handler, also one that is deleted already.
#[route("/burnt/<int:book>", methods = [POST])]
async fn burn(cx: Context) -> Result<Reply> {
    let book: Option<Book> = cx.store_unchecked().get(book_id(&cx)).await?;
    cx.remove(&book.ok_or_else(Error::not_found)?).await?;
    Ok(Reply::no_content())
}

/// Removes a book from the table.
#[route("/shredded/<int:book>", methods = [POST])]
async fn shred(cx: Context) -> Result<Reply> {
    let book: Option<Book> = cx.store_unchecked().get(book_id(&cx)).await?;
    cx.store_unchecked()
        .remove(&book.ok_or_else(Error::not_found)?)
        .await?;
    Ok(Reply::no_content())
}

/// Callers of the shop.
struct Callers {
    /// A member, who sees no deleted rows.
    member: Client,
    /// A caller who sees all deleted books and restores them.
    desk: Client,
    /// A caller who sees some deleted books and changes none.
    clerk: Client,
}

fn shop_api() -> Api {
    Api::new("shop")
        .authenticator(HeaderAuthenticator)
        .anonymous_write_rate(None)
        .model_resource::<AuthorResource>()
        .model_resource::<BookResource>()
        .model_resource::<PartResource>()
        .model_resource::<CoverResource>()
        .model_resource::<LabelResource>()
        .model_resource::<BookLabelResource>()
        .route(titles)
        .route(title)
        .route(burn)
        .route(shred)
}

/// A shop with three books of two authors.
async fn shop() -> (TestApp, Callers) {
    let app = TestApp::with_api(shop_api()).await;
    let database = app.database();
    database.execute("INSERT INTO authors (id, name) VALUES (1, 'Ann'), (2, 'Ben')");
    database.execute(
        "INSERT INTO books (id, title, isbn, author_id, is_locked, version) VALUES \
         (1, 'One', 'i1', 1, FALSE, 1), (2, 'Two', NULL, 1, FALSE, 1), (3, 'Three', 'i3', 2, FALSE, 1)",
    );
    database.execute("INSERT INTO parts (id, book_id, name) VALUES (1, 1, 'p1'), (2, 1, 'p2'), (3, 2, 'p3')");
    database.execute("INSERT INTO covers (id, book_id) VALUES (1, 1), (2, 2)");
    database.execute("INSERT INTO labels (id, name) VALUES (1, 'red'), (2, 'blue')");
    database.execute("INSERT INTO book_labels (book_id, label_id) VALUES (1, 1), (1, 2), (2, 1)");
    if database.is_postgres() {
        for table in ["authors", "books", "parts", "covers", "labels"] {
            database.execute(&format!("ALTER TABLE {table} ALTER COLUMN id RESTART WITH 100"));
        }
    }
    let [member, desk, clerk] = ["1", "2 desk", "3 clerk"].map(|caller| app.as_caller(caller));
    (app, Callers { member, desk, clerk })
}

/// Number of rows of a table that are in it, and of those that are deleted.
fn counts(app: &TestApp, table: &str) -> (i64, i64) {
    let database = app.database();
    let all = database.value(&format!("SELECT count(*) FROM {table}"));
    let deleted = format!("SELECT count(*) FROM {table} WHERE deleted_at IS NOT NULL");
    (all, database.value(&deleted))
}

/// Ids of the objects in a list.
fn ids(list: &Value) -> Vec<i64> {
    let objects = list.as_array().unwrap().iter();
    objects.map(|object| object["id"].as_i64().unwrap()).collect()
}

/// Ids of a list.
async fn listed(client: &Client, url: &str) -> Vec<i64> {
    ids(&client.get(url).await.expect(200).json())
}

fn patched(title: &str) -> Value {
    json!({"title": title})
}
