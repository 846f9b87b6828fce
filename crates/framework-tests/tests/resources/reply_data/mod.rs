//! Decorators that read, replace and change the data of a reply.

mod changing;
mod reading;
mod replacing;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use model_resource::{
    Api, Caller, Columns, Context, Decimal, Draft, HeaderName, HeaderValue, Json, MethodDecorators, Model,
    ModelPolicy, ModelResource, ModelSerializer, Next, Operations, Reply, Representations, Result,
    SerializerFields, Where, WrappedSerializer, model_resource, route, serializer,
};
use serde_json::{Map, Value, json};
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "shelves")]
struct Shelf {
    #[column(primary_key)]
    id: i64,
    label: String,
}

struct ShelfSerializer;

#[serializer]
impl ModelSerializer for ShelfSerializer {
    type Model = Shelf;
}

#[derive(Debug, Clone, Model)]
#[model(table = "books")]
struct Book {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(precision = 8, scale = 2)]
    price: Decimal,
    extra: Option<Json>,
    secret: Option<String>,
    #[column(references = Shelf)]
    shelf_id: Option<i64>,
}

struct BookSerializer;

#[serializer]
impl ModelSerializer for BookSerializer {
    type Model = Book;

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields.belongs_to::<ShelfSerializer>("shelf", Book::SHELF_ID)
    }
}

/// Shows the secrets of books to authenticated callers only.
struct BookPolicy;

impl ModelPolicy for BookPolicy {
    type Model = Book;

    fn updatable(_: &Caller) -> Where<Book> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn hidden(caller: &Caller) -> Columns<Book> {
        if caller.is_authenticated() {
            return Columns::none();
        }
        Columns::of(Book::SECRET)
    }
}

#[derive(Debug, Clone, Model)]
#[model(table = "labels")]
struct Label {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct LabelSerializer;

#[serializer]
impl ModelSerializer for LabelSerializer {
    type Model = Label;
}

/// Reads the data, and reports its content and its JSON in headers.
async fn read(cx: Context, next: Next) -> Result<Reply> {
    let mut reply = next.run(cx).await?;
    let content = format!("{:?}", reply.content());
    let json = reply.read_json().await?;
    let json = json.map_or("none".to_owned(), |json| json.to_string());
    let reply = reply.with_header(name("x-content"), HeaderValue::from_str(&content).unwrap());
    Ok(reply.with_header(name("x-json"), HeaderValue::from_str(&json).unwrap()))
}

/// Adds a member to each object and changes another.
async fn marked(cx: Context, next: Next) -> Result<Reply> {
    let reply = next.run(cx).await?;
    Ok(reply.map_objects(mark))
}

fn mark(object: &mut Map<String, Value>) {
    let title = object.get("title").and_then(Value::as_str).map(str::to_uppercase);
    object.insert("mark".to_owned(), json!(title));
    object.remove("extra");
}

/// Maps each object without a change.
async fn unchanged(cx: Context, next: Next) -> Result<Reply> {
    Ok(next.run(cx).await?.map_objects(|_| {}))
}

/// Replaces any data.
async fn replaced(cx: Context, next: Next) -> Result<Reply> {
    let reply = next.run(cx).await?;
    let content = format!("{:?}", reply.content());
    Ok(reply.with_json(json!({ "was": content })))
}

/// Replaces a list by its length, after reading it.
async fn counted(cx: Context, next: Next) -> Result<Reply> {
    let mut reply = next.run(cx).await?;
    let list = reply.read_json().await?.unwrap_or_default();
    Ok(reply.with_json(json!({ "count": list.as_array().map(Vec::len) })))
}

/// Reports how many objects were changed before the response began.
async fn observed(cx: Context, next: Next) -> Result<Reply> {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let reply = next.run(cx).await?.map_objects(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
    });
    let before = HeaderValue::from(count.load(Ordering::SeqCst));
    Ok(reply.with_header(name("x-changed"), before))
}

fn name(name: &'static str) -> HeaderName {
    HeaderName::from_static(name)
}

/// Declares a resource with decorators.
macro_rules! decorated {
    ($model:ident, $resource:ident, $collection:literal, $item:literal, $($decorator:ident),*) => {
        struct $resource;

        #[model_resource($model, $collection, $item)]
        impl ModelResource for $resource {
            const BULK_METHODS: Operations = Operations::of([model_resource::CREATE]);

            fn method_decorators() -> MethodDecorators {
                MethodDecorators::none()$(.every($decorator))*
            }
        }
    };
}

decorated!(Book, PlainResource, "/plain", "/plain/<int:id>",);
decorated!(Book, ReadResource, "/read", "/read/<int:id>", read);
decorated!(Book, MarkedResource, "/marked", "/marked/<int:id>", marked);
decorated!(
    Book,
    UnchangedResource,
    "/unchanged",
    "/unchanged/<int:id>",
    unchanged
);
decorated!(
    Book,
    ReplacedResource,
    "/replaced",
    "/replaced/<int:id>",
    replaced
);
decorated!(Book, CountedResource, "/counted", "/counted/<int:id>", counted);
decorated!(
    Book,
    ObservedResource,
    "/observed",
    "/observed/<int:id>",
    observed
);
decorated!(Book, BothResource, "/both", "/both/<int:id>", read, marked);
decorated!(Label, LabelResource, "/labels", "/labels/<int:id>", read, marked);

struct OwnResource;

/// Returns models from its handlers.
#[model_resource(Book, "/own", "/own/<int:id>")]
impl ModelResource for OwnResource {
    const BULK_METHODS: Operations = Operations::of([model_resource::CREATE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(read).every(marked)
    }

    async fn get(book: Book) -> Book {
        book
    }

    async fn list(books: Vec<Book>) -> Vec<Book> {
        books
    }

    async fn create(cx: Context, draft: Draft<Book>) -> Result<Book> {
        Ok(cx.store_unchecked().create(draft).await?)
    }
}

fn text(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    Ok((status, headers, data.to_string()).into_response())
}

struct TextResource;

/// Has a representation that needs all data at once.
#[model_resource(Book, "/text", "/text/<int:id>")]
impl ModelResource for TextResource {
    fn representations() -> Representations {
        Representations::none().with("text/plain", text)
    }

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(marked)
    }
}

#[route("/view/json", decorators = [read, marked])]
async fn json_view() -> Value {
    json!([{"title": "a"}, 7, {"title": "b"}])
}

#[route("/view/book", decorators = [read])]
async fn book_view(cx: Context) -> Result<Book> {
    Ok(cx.store_unchecked().get::<Book>(1).await?.unwrap())
}

#[route("/view/response", decorators = [read, marked])]
async fn response_view() -> Response {
    (StatusCode::IM_A_TEAPOT, "finished").into_response()
}

#[route("/view/replaced", decorators = [replaced])]
async fn replaced_view() -> Response {
    let headers = [
        ("content-type", "image/png"),
        ("content-length", "8"),
        ("x-own", "yes"),
    ];
    (StatusCode::ACCEPTED, headers, "finished").into_response()
}

fn api() -> Api {
    Api::new("books")
        .authenticator(HeaderAuthenticator)
        .policy::<BookPolicy>()
        .serializer::<BookSerializer>()
        .serializer::<ShelfSerializer>()
        .serializer::<WrappedSerializer<LabelSerializer>>()
        .model_resource::<PlainResource>()
        .model_resource::<ReadResource>()
        .model_resource::<MarkedResource>()
        .model_resource::<UnchangedResource>()
        .model_resource::<ReplacedResource>()
        .model_resource::<CountedResource>()
        .model_resource::<ObservedResource>()
        .model_resource::<BothResource>()
        .model_resource::<LabelResource>()
        .model_resource::<OwnResource>()
        .model_resource::<TextResource>()
        .route(json_view)
        .route(book_view)
        .route(response_view)
        .route(replaced_view)
}

async fn start() -> TestApp {
    let app = TestApp::with_api(api()).await;
    app.database()
        .execute("INSERT INTO shelves (label) VALUES ('north')");
    app.database()
        .execute("INSERT INTO labels (name) VALUES ('x'), ('y')");
    let known = app.as_caller("1");
    for (title, price, extra) in [
        ("a", "-0.50", json!("text")),
        ("=b", "12.00", json!({"deep": [1, {"er": null}]})),
        ("c, d", "3.25", Value::Null),
    ] {
        let book = json!({"title": title, "price": price, "extra": extra, "secret": "s", "shelfId": 1});
        known.post("/plain", book).await.expect(201);
    }
    app
}
