//! Prices of queries, and the budgets of resources and callers.

use model_resource::{
    Api, Caller, Columns, Model, ModelPolicy, ModelResource, ModelSerializer, SerializerFields, Where,
    model_resource, serializer,
};
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "books")]
struct Book {
    #[column(primary_key)]
    id: i64,
    title: String,
    shelf: i64,
    #[column(default = "secret", hidden)]
    kept: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "reviews")]
struct Review {
    #[column(primary_key)]
    id: i64,
    #[column(references = Book)]
    book_id: i64,
    body: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "genres")]
struct Genre {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "book_genres")]
struct BookGenre {
    #[column(primary_key)]
    id: i64,
    #[column(references = Book)]
    book_id: i64,
    #[column(references = Genre)]
    genre_id: i64,
}

struct GenreSerializer;

#[serializer]
impl ModelSerializer for GenreSerializer {
    type Model = Genre;
}

struct ReviewSerializer;

#[serializer]
impl ModelSerializer for ReviewSerializer {
    type Model = Review;
}

struct BookSerializer;

#[serializer]
impl ModelSerializer for BookSerializer {
    type Model = Book;

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields
            .has_many::<ReviewSerializer>("reviews", Review::BOOK_ID)
            .many_to_many::<GenreSerializer>("genres", BookGenre::BOOK_ID, BookGenre::GENRE_ID)
    }
}

struct BookResource;

#[model_resource(Book, "/books", serializer = BookSerializer)]
impl ModelResource for BookResource {
    const QUERY_BUDGET: Option<u64> = Some(5_000);
    const SEARCH: Columns<Book> = Columns::of(Book::TITLE);
}

#[model_resource(Book, "/open-books", serializer = BookSerializer)]
struct OpenBookResource;

#[model_resource(Review, "/reviews", serializer = ReviewSerializer)]
struct ReviewResource;

struct FreeResource;

#[model_resource(Book, "/free", serializer = BookSerializer)]
impl ModelResource for FreeResource {
    const QUERY_BUDGET: Option<u64> = Some(0);
}

/// Shows the books of the first shelves, which no index has.
struct BookPolicy;

impl ModelPolicy for BookPolicy {
    type Model = Book;

    fn visible(_: &Caller) -> Where<Book> {
        Book::SHELF.lt(1_000_000)
    }
}

/// Starts an api with 2,000 books and 4,000 reviews.
async fn library(api: Api) -> TestApp {
    let api = api
        .model_resource::<BookResource>()
        .model_resource::<OpenBookResource>()
        .model_resource::<ReviewResource>();
    let app = TestApp::with_api(api).await;
    let numbers = |last: u32| {
        format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {last})")
    };
    app.database().execute(&format!(
        "{} INSERT INTO books (title, shelf, kept) SELECT 'a book', i, 'secret' FROM n; \
         {} INSERT INTO reviews (book_id, body) SELECT 1 + i % 2000, 'good' FROM n; \
         {} INSERT INTO genres (name) SELECT 'a genre' FROM n; \
         {} INSERT INTO book_genres (book_id, genre_id) SELECT 1 + i % 2000, 1 + i % 9 FROM n",
        numbers(2000),
        numbers(4000),
        numbers(9),
        numbers(4000)
    ));
    refresh(&app).await;
    app
}

/// Lets the application see the sizes and indexes of its tables at once.
async fn refresh(app: &TestApp) {
    app.database().execute("ANALYZE");
    let tables = [Book::table(), Review::table(), Genre::table(), BookGenre::table()];
    app.store.refresh_statistics(&tables).await.unwrap();
}

/// Returns the message of a rejected query.
async fn rejected(client: &Client, path: &str) -> String {
    let body = client.get(path).await.expect(400).json();
    body["message"].as_str().unwrap().to_owned()
}

/// LOAD-95: filters through relations, patterns without a prefix, sorts without an index, exact counts and expansions
/// have a price. Beyond the budget they are a 400 that names the part, its price, the budget and the missing index.
#[tokio::test]
async fn a_query_beyond_the_budget_is_rejected_with_its_expensive_parts() {
    let app = library(Api::new("library")).await;
    for (query, parts) in [
        (
            "title[contains]=x",
            &["\"title[contains]\" costs about 6,000"][..],
        ),
        ("q=x", &["\"q\" costs about 6,000"]),
        ("reviews.body=x", &["\"reviews.body\" costs about 20,000"]),
        (
            "sort=title&shelf[gte]=1",
            &[
                "\"sort\" costs about 4,000 (an index on books(title) would help)",
                "\"shelf[gte]\" costs about 2,000 (an index on books(shelf) would help)",
            ],
        ),
        (
            "title=a&shelf=1&limit=5&count=exact",
            &["\"count\" costs about 4,000", "\"title\" costs about 2,000"],
        ),
        ("or=(title=a,shelf=1,shelf=2)", &["\"or\" costs about 6,000"]),
        ("not=(title[like]=a%25)", &["\"not\" costs about 6,000"]),
        ("expand=reviews&limit=1000", &["\"expand\" costs about 7,000"]),
        ("reviews[has]=1", &["\"reviews[has]\" costs about 20,000"]),
        ("genres[has]=1", &["\"genres[has]\" costs about 40,000"]),
        ("genres.name=x", &["\"genres.name\" costs about 40,000"]),
        ("sort=-reviews.count", &["\"sort\" costs about 40,000"]),
        ("sort=-genres.count", &["\"sort\" costs about 80,000"]),
        ("expand=genres&limit=1000", &["\"expand\" costs about 20,000"]),
    ] {
        let message = rejected(&app, &format!("/books?{query}")).await;
        assert!(message.contains("the budget is 5,000"), "{query}: {message}");
        for part in parts {
            assert!(message.contains(part), "{query}: {message}");
        }
    }
    let problem = app.with_header("accept", "application/problem+json");
    let problem = problem.get("/books?q=x").await.expect(400).json();
    assert_eq!(problem["code"], "query_too_expensive");
}

/// LOAD-96: plain lists, lists of few rows by an index, and short pages are cheap, whatever the size of the table.
#[tokio::test]
async fn queries_that_an_index_serves_are_within_the_budget() {
    let app = library(Api::new("library")).await;
    for query in [
        "",
        "?limit=1000",
        "?title=x",
        "?sort=-title",
        "?id=7&title[contains]=x&sort=shelf",
        "?id[in]=1,2,3&reviews.body[contains]=o",
        "?expand=reviews&limit=10",
        "?expand=genres&limit=10",
        "?id[in]=1,2,3&genres[has]=1&sort=-genres.count",
        "?limit=10&count=exact",
    ] {
        app.get(&format!("/books{query}")).await.expect(200);
    }
    app.get("/reviews?bookId=3&body[contains]=x").await.expect(200);
}

/// LOAD-96: an index that is added while the application runs makes a query cheap.
#[tokio::test]
async fn an_index_makes_a_query_cheap() {
    let app = library(Api::new("library")).await;
    let path = "/books?shelf=7&title[contains]=book";
    let message = rejected(&app, path).await;
    assert!(message.contains("an index on books(shelf)"), "{message}");
    app.database()
        .execute("CREATE INDEX books_shelf ON books (shelf)");
    refresh(&app).await;
    let found = app.get(path).await.expect(200).json();
    assert_eq!(found.as_array().unwrap().len(), 1);
    app.get("/books?sort=-shelf&shelf[gt]=7").await.expect(200);
}

/// LOAD-95: only what the client asks for is priced and named: neither the policy's conditions, nor hidden columns.
#[tokio::test]
async fn the_message_names_nothing_that_the_caller_cannot_read() {
    let api = Api::new("library").query_budget(1).policy::<BookPolicy>();
    let app = library(api).await;
    app.get("/open-books").await.expect(200);
    app.get("/open-books?id=3").await.expect(200);
    let message = rejected(&app, "/open-books?title=x").await;
    assert!(
        message.contains("\"title\"") && !message.contains("shelf"),
        "{message}"
    );
    let message = rejected(&app, "/open-books?kept=x").await;
    assert!(!message.contains("cost"), "{message}");
}

/// LOAD-97: the budget is that of the resource or else of the api, and a function may change it for a caller.
#[tokio::test]
async fn a_budget_depends_on_the_resource_and_the_caller() {
    let by_role = |caller: &Caller, budget: u64| {
        let factor = if caller.has_role("librarian") { 10 } else { 1 };
        budget * factor
    };
    let api = Api::new("library").authenticator(HeaderAuthenticator);
    let app = library(api.query_budget(100).query_budget_by(by_role)).await;
    let (open, own) = ("/open-books?title=x", "/books?title[contains]=x");
    let (ann, librarian) = (app.as_caller("1"), app.as_caller("2 librarian"));
    for client in [&app.anonymous, &ann] {
        let message = rejected(client, open).await;
        assert!(message.contains("the budget is 100"), "{message}");
        client.get(own).await.expect(400);
    }
    let message = rejected(&librarian, open).await;
    assert!(message.contains("the budget is 1,000"), "{message}");
    librarian.get(own).await.expect(200);
}

/// LOAD-97: 0 is any price for the api and for a resource, and the greatest number for a caller.
#[tokio::test]
async fn a_budget_of_0_is_any_price() {
    let expensive = "/open-books?reviews.body[contains]=x&sort=title";
    let api = Api::new("library").query_budget(0);
    let app = library(api.model_resource::<FreeResource>()).await;
    app.get(expensive).await.expect(200);
    app.get("/books?title[contains]=x").await.expect(400);

    let api = Api::new("library").query_budget(1);
    let app = library(api.model_resource::<FreeResource>()).await;
    app.get(expensive).await.expect(400);
    app.get("/free?title[contains]=x").await.expect(200);

    let for_librarians = |caller: &Caller, budget| {
        if caller.has_role("librarian") {
            u64::MAX
        } else {
            budget
        }
    };
    let api = Api::new("library").authenticator(HeaderAuthenticator);
    let app = library(api.query_budget(1).query_budget_by(for_librarians)).await;
    app.get(expensive).await.expect(400);
    app.as_caller("2 librarian").get(expensive).await.expect(200);

    let capped = |_: &Caller, budget: u64| budget.min(1);
    let api = Api::new("library").query_budget(0).query_budget_by(capped);
    let app = library(api).await;
    app.get(expensive).await.expect(400);
}

/// LOAD-97: a budget that a function reduces to 0 is the smallest one.
#[tokio::test]
async fn a_budget_that_is_reduced_to_0_permits_no_price() {
    let reduced = |_: &Caller, budget: u64| budget / 1_000;
    let api = Api::new("library").query_budget(500).query_budget_by(reduced);
    let app = library(api).await;
    let message = rejected(&app, "/open-books?title=x").await;
    assert!(message.contains("the budget is 0"), "{message}");
    app.get("/open-books").await.expect(200);
}
