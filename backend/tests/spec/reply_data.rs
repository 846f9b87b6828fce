//! The data of a reply, which decorators read, replace and change.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::response::{IntoResponse, Response};
use backend::api::{
    Api, Context, Draft, MethodDecorators, ModelResource, ModelSerializer, Next, Operations, Reply, Result,
    WrappedSerializer,
};
use http::{HeaderMap, StatusCode};
use model_resource::{
    Caller, Columns, Decimal, Declare, HeaderName, HeaderValue, Json, Model, ModelPolicy, Representations,
    Where, model_resource, route, serializer,
};
use serde_json::{Map, Value, json};

use crate::support::{ByHeader, TestApp, execute};

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

    fn declare(fields: Declare<Book>) -> Declare<Book> {
        fields.to_one::<ShelfSerializer>("shelf", Book::SHELF_ID)
    }
}

/// Shows the secrets of books to known callers only.
struct BookPolicy;

impl ModelPolicy for BookPolicy {
    type Model = Book;

    fn changeable(_: &Caller) -> Where<Book> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn hidden(caller: &Caller) -> Columns<Book> {
        if caller.is_known() {
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

/// Reads the data, and sends its content and the JSON that it read in headers.
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

/// Changes nothing of each object.
async fn unchanged(cx: Context, next: Next) -> Result<Reply> {
    Ok(next.run(cx).await?.map_objects(|_| {}))
}

/// Replaces whatever there is.
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

/// Sends how many objects were changed before the response began.
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
            const BULK_METHODS: Operations = Operations::of(&[backend::api::CREATE]);

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

/// Returns models itself.
#[model_resource(Book, "/own", "/own/<int:id>")]
impl ModelResource for OwnResource {
    const BULK_METHODS: Operations = Operations::of(&[backend::api::CREATE]);

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
        Ok(cx.store().create(draft).await?)
    }
}

fn text(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    Ok((status, headers, data.to_string()).into_response())
}

struct TextResource;

/// Has a representation that needs the data as a whole.
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
    Ok(cx.store().get::<Book>(1).await?.unwrap())
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
        .security(ByHeader)
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
    execute(&app.database(), "INSERT INTO shelves (label) VALUES ('north')");
    execute(&app.database(), "INSERT INTO labels (name) VALUES ('x'), ('y')");
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

/// REP-22: what a decorator reads is what the client gets: an object, a list and a page, with the wanted members alone.
#[tokio::test]
async fn a_decorator_reads_what_the_client_gets() {
    let app = start().await;
    for (path, content) in [
        ("/read/1", "Object"),
        ("/read/1?fields=id,title", "Object"),
        ("/read/1?expand=shelf", "Object"),
        ("/read", "List"),
        ("/read?fields=title&sort=-id", "List"),
        ("/read?expand=shelf&title=a", "List"),
        ("/read?title=none", "List"),
        ("/both", "List"),
        ("/both/2?expand=shelf", "Object"),
        ("/own/1", "Object"),
        ("/own", "List"),
        ("/own?fields=id,secret", "List"),
        ("/view/book", "Object"),
        ("/labels", "List"),
        ("/labels/1", "Object"),
    ] {
        for client in [app.client.clone(), app.as_caller("1")] {
            let response = client.get(path).await;
            if response.status == StatusCode::BAD_REQUEST {
                // An anonymous caller cannot name what is hidden.
                assert!(path.contains("secret"), "{path}");
                continue;
            }
            let response = response.expect(200);
            assert_eq!(response.header("x-content"), content, "{path}");
            let read: Value = serde_json::from_str(response.header("x-json")).unwrap();
            assert_eq!(read, response.json(), "{path}");
        }
    }
    let wrapped = app.get("/labels").await.json();
    assert_eq!(wrapped["labels"][1], json!({"id": 2, "name": "y", "mark": null}));
}

/// REP-22: what the caller may not see is not there for decorators either, also where a handler returned the model itself.
#[tokio::test]
async fn a_decorator_reads_nothing_that_the_caller_may_not_see() {
    let app = start().await;
    for path in [
        "/read",
        "/read/1",
        "/both",
        "/both/1",
        "/own",
        "/own/1",
        "/view/book",
    ] {
        let anonymous = app.get(path).await.expect(200);
        assert!(!anonymous.header("x-json").contains("secret"), "{path}");
        assert!(!anonymous.text().contains("secret"), "{path}");
        let known = app.as_caller("1").get(path).await.expect(200);
        assert!(known.header("x-json").contains("secret"), "{path}");
    }
}

/// REP-22: writes, other JSON, no data and a finished response are read for what they are.
#[tokio::test]
async fn a_decorator_reads_other_contents() {
    let app = start().await;
    let book = json!({"title": "e", "price": "1.00"});
    let made = app.post("/read", book.clone()).await.expect(201);
    assert_eq!(made.header("x-content"), "Object");
    assert_eq!(made.header("x-json"), made.text());
    assert!(made.header("location").starts_with("/read/"));
    let changed = app.patch("/read/1", json!({"title": "f"})).await.expect(200);
    assert_eq!(changed.header("x-json"), changed.text());
    let deleted = app.delete("/read/1").await.expect(204);
    assert_eq!(
        (deleted.header("x-content"), deleted.header("x-json")),
        ("Nothing", "none")
    );
    let view = app.get("/view/json").await.expect(200);
    assert_eq!(view.header("x-content"), "Json");
    assert_eq!(view.header("x-json"), view.text());
    let finished = app.get("/view/response").await.expect(418);
    assert_eq!(
        (finished.header("x-content"), finished.header("x-json")),
        ("Response", "none")
    );
    assert_eq!(finished.text(), "finished");
}

/// REP-23: a decorator replaces the data; status and headers stay, and 204 becomes 200.
#[tokio::test]
async fn a_decorator_replaces_the_data() {
    let app = start().await;
    app.get("/replaced/1")
        .await
        .expect_json(200, json!({"was": "Object"}));
    app.get("/replaced")
        .await
        .expect_json(200, json!({"was": "List"}));
    let made = app
        .post("/replaced", json!({"title": "e", "price": "1.00"}))
        .await
        .expect(201);
    assert_eq!(made.json(), json!({"was": "Object"}));
    assert!(made.header("location").starts_with("/replaced/"));
    app.delete("/replaced/1")
        .await
        .expect_json(200, json!({"was": "Nothing"}));
    let view = app.get("/view/replaced").await.expect(202);
    assert_eq!(view.json(), json!({"was": "Response"}));
    assert_eq!(
        (view.header("content-type"), view.header("x-own")),
        ("application/json", "yes")
    );
    app.get("/counted").await.expect_json(200, json!({"count": 3}));
}

/// REP-23, REP-26: status and links of a page stay when its data is read and replaced.
#[tokio::test]
async fn a_page_keeps_its_headers_when_it_is_read() {
    let app = start().await;
    let query = "?page=1&pageSize=2&count=exact";
    let plain = app.get(&format!("/plain{query}")).await.expect(200);
    for path in ["/read", "/both", "/counted", "/marked"] {
        let page = app.get(&format!("{path}{query}")).await.expect(200);
        for header in ["x-total-count", "content-range"] {
            assert_eq!(page.header(header), plain.header(header), "{path}");
        }
        assert_eq!(page.header("link"), plain.header("link").replace("/plain", path));
    }
    let read = app.get(&format!("/read{query}")).await;
    assert_eq!(read.header("x-json"), plain.text());
    app.get(&format!("/counted{query}"))
        .await
        .expect_json(200, json!({"count": 2}));
}

/// REP-26: a representation of the application's own has the headers of a page, too.
#[tokio::test]
async fn a_page_in_a_representation_of_ones_own_has_its_headers() {
    let app = start().await;
    let page = app.get("/text?page=1&pageSize=2&count=exact").await.expect(200);
    assert_eq!(page.header("content-type"), "text/plain");
    assert_eq!(page.header("x-total-count"), "3");
    assert!(
        page.header("link").contains("rel=\"next\""),
        "{}",
        page.header("link")
    );
    let titles: Value = serde_json::from_str(&page.text()).unwrap();
    assert_eq!(
        (&titles[0]["mark"], &titles[1]["mark"]),
        (&json!("A"), &json!("=B"))
    );
}

/// The list of a resource, with each object changed as `mark` does it.
fn marked_list(list: Value) -> Value {
    let mark = |item: Value| {
        let Value::Object(mut object) = item else {
            return item;
        };
        mark(&mut object);
        Value::Object(object)
    };
    let Value::Array(items) = list else {
        panic!("no list: {list}")
    };
    items.into_iter().map(mark).collect()
}

/// REP-24: a decorator changes one object, each object of a list, and the objects of other JSON.
#[tokio::test]
async fn a_decorator_changes_each_object() {
    let app = start().await;
    for path in [
        "",
        "?page=1&pageSize=2",
        "?expand=shelf",
        "?fields=id,title",
        "?title=none",
    ] {
        let plain = app.get(&format!("/plain{path}")).await.expect(200).json();
        for resource in ["/marked", "/both", "/own"] {
            let marked = app.get(&format!("{resource}{path}")).await.expect(200);
            assert_eq!(marked.json(), marked_list(plain.clone()), "{resource}{path}");
        }
    }
    for path in ["/marked/2", "/own/2", "/both/2"] {
        let one = app.get(path).await.expect(200).json();
        assert_eq!((&one["mark"], one.get("extra")), (&json!("=B"), None), "{path}");
    }
    let label = app.get("/labels/2").await.expect(200).json();
    assert_eq!(label, json!({"label": {"id": 2, "name": "y", "mark": null}}));
    let made = app
        .post("/marked", json!({"title": "e", "price": "1.00"}))
        .await
        .expect(201);
    assert_eq!(made.json()["mark"], "E");
    let patched = app.patch("/marked/1", json!({"title": "f"})).await.expect(200);
    assert_eq!(patched.json()["mark"], "F");
    app.delete("/marked/1").await.expect(204);
    let view = app.get("/view/json").await.expect(200).json();
    assert_eq!(
        view,
        json!([{"title": "a", "mark": "A"}, 7, {"title": "b", "mark": "B"}])
    );
}

/// REP-24: each of many objects is changed, and shows nothing that the caller may not see.
#[tokio::test]
async fn a_decorator_changes_each_of_many_objects() {
    let app = start().await;
    let books = json!([{"title": "e", "price": "1.00"}, {"title": "f", "price": "2.00"}]);
    for path in ["/marked", "/own"] {
        let made = app.post(path, books.clone()).await.json();
        let marks: Vec<&Value> = made
            .as_array()
            .unwrap()
            .iter()
            .map(|book| &book["mark"])
            .collect();
        assert_eq!(marks, ["E", "F"], "{path}");
        assert!(!made.to_string().contains("secret"), "{path}");
    }
}

/// REP-24: a changed list in CSV and NDJSON: members that stay look as ever, and new ones are further columns.
#[tokio::test]
async fn a_changed_list_has_every_format() {
    let app = start().await;
    for query in [
        "",
        "&expand=shelf",
        "&fields=title",
        "&page=1&pageSize=2",
        "&title=none",
    ] {
        for format in ["csv", "ndjson", "json"] {
            let plain = app
                .get(&format!("/plain?format={format}{query}"))
                .await
                .expect(200);
            let same = app
                .get(&format!("/unchanged?format={format}{query}"))
                .await
                .expect(200);
            assert_eq!(same.text(), plain.text(), "{format}{query}");
            for header in ["content-type", "content-disposition", "vary"] {
                assert_eq!(same.header(header), plain.header(header), "{format}{query}");
            }
        }
    }
    let csv = app
        .get("/marked?format=csv&fields=id,title")
        .await
        .expect(200)
        .text();
    assert_eq!(
        csv,
        "id,title,mark\r\n1,a,A\r\n2,'=b,'=B\r\n3,\"c, d\",\"C, D\"\r\n"
    );
    let lines = app
        .get("/marked?format=ndjson&fields=id")
        .await
        .expect(200)
        .text();
    assert_eq!(
        lines,
        "{\"id\":1,\"mark\":null}\n{\"id\":2,\"mark\":null}\n{\"id\":3,\"mark\":null}\n"
    );
}

/// REP-24, REP-25: a long list is changed while it is streamed, and not before.
#[tokio::test]
async fn a_long_list_is_changed_while_it_is_streamed() {
    let app = start().await;
    execute(
        &app.database(),
        "WITH RECURSIVE copies (number) AS (SELECT 4 UNION ALL SELECT number + 1 FROM copies WHERE number < 6000)
         INSERT INTO books (title, price) SELECT 'a title that is not too short, to fill a piece', 100 FROM copies",
    );
    for format in ["json", "csv", "ndjson"] {
        let plain = app.get(&format!("/plain?format={format}")).await.expect(200);
        let same = app.get(&format!("/observed?format={format}")).await.expect(200);
        assert_eq!(same.header("x-changed"), "0", "{format}");
        assert_eq!(same.header("content-length"), "", "{format}");
        assert!(same.body == plain.body, "{format}");
    }
    let plain = app.get("/plain").await.json();
    let marked = app.get("/marked").await.expect(200);
    assert_eq!(marked.header("content-length"), "");
    assert!(marked.json() == marked_list(plain));
    let counted = app.get("/counted").await.expect(200).json();
    assert_eq!(counted, json!({"count": 6000}));
}
