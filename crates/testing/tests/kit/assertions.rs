//! Assertions of responses, and the messages with which they fail.

use model_resource::{Context, Draft, Query, Reply, Result, Sql, route};
use model_resource_testing::{TestApp, TestClient, assert_json_snapshot, assert_snapshot, assert_statements};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::library::{Book, Note, book, failure, open_api};

#[derive(Debug, Deserialize)]
struct BookJson {
    id: i64,
    title: String,
}

async fn library() -> TestApp {
    let app = TestApp::new(open_api()).await;
    app.create_all(["Emma", "Persuasion"].map(book)).await;
    app
}

/// TST-3
#[tokio::test]
async fn a_response_is_asserted_step_by_step() {
    let app = library().await;
    let found = app.get("/books/1").await.assert_status(200).json::<BookJson>();
    assert_eq!((found.id, found.title.as_str()), (1, "Emma"));
    app.get("/books?fields=id,title")
        .await
        .assert_header("content-type", "application/json")
        .assert_json(json!([{"title": "Emma"}, {"id": 2}]))
        .assert_json_exact(json!([{"id": 1, "title": "Emma"}, {"id": 2, "title": "Persuasion"}]));
}

/// TST-3
#[tokio::test]
async fn a_wrong_status_fails_with_the_request_and_the_body() {
    let app = library().await;
    let response = app.get("/books/9").await;
    let message = failure(|| response.clone().assert_status(200));
    assert!(
        message.starts_with("GET /books/9: expected the status 200, found 404 Not Found\n"),
        "{message}"
    );
    assert!(
        message.contains(&response.text()[..10]) || message.contains('{'),
        "{message}"
    );
}

/// TST-3
#[tokio::test]
async fn a_wrong_header_fails_with_the_one_that_was_sent() {
    let response = library().await.get("/books/1").await;
    let message = failure(|| response.clone().assert_header("content-type", "text/csv"));
    assert_eq!(
        message,
        "GET /books/1: expected the header content-type: \"text/csv\", found [\"application/json\"]"
    );
    let message = failure(|| response.assert_header("x-missing", "1"));
    assert!(message.ends_with("found []"), "{message}");
}

/// TST-3
#[tokio::test]
async fn wrong_json_fails_with_each_difference() {
    let app = library().await;
    let response = app.get("/books?fields=id,title").await;
    let message = failure(|| {
        response
            .clone()
            .assert_json(json!([{"id": 1, "title": "Evelina"}]))
    });
    assert!(
        message.starts_with(
            "GET /books?fields=id,title: the JSON is not as expected:\n  \
             /0/title: expected \"Evelina\", found \"Emma\"\n  \
             /1: unexpected {\"id\":2,\"title\":\"Persuasion\"}\n"
        ),
        "{message}"
    );
    let message = failure(|| response.assert_json_exact(json!([{"id": 1}, {"id": 2}])));
    assert!(message.contains("  /0/title: unexpected \"Emma\"\n"), "{message}");
    let response = app.get("/books/1").await;
    let message = failure(|| response.json::<Vec<BookJson>>());
    assert!(
        message.starts_with("GET /books/1: the body is no JSON of"),
        "{message}"
    );
    let head = app.head("/books/1").await;
    assert!(failure(|| head.json::<Value>()).contains("HEAD /books/1"));
}

/// TST-7
#[tokio::test]
async fn statements_are_counted_by_request_and_by_work() {
    let app = library().await;
    assert_statements!(1, app.get("/books")).assert_status(200);
    let response = app.get("/books/1").await;
    let message = failure(|| response.assert_statements(5));
    assert_eq!(
        message,
        "GET /books/1: expected 5 SQL statements, found 1 (1 reads, 0 writes)"
    );
    let (created, count) = app
        .count_statements(app.post("/notes", json!({"text": "Sanditon"})))
        .await;
    created.assert_status(201).assert_statements(count.total());
    assert_eq!((count.reads, count.writes), (0, 1));
    let (_, count) = app.count_statements(app.create(book("Lady Susan"))).await;
    assert_eq!(count.total(), 1);
}

/// Reads books in four ways and writes a note, in one transaction.
#[route("/books/<int:id>/notes", methods = [POST])]
async fn note(mut cx: Context) -> Result<Reply> {
    cx.begin().await?;
    let found: Option<Book> = cx.find(cx.param::<i64>("id")?).await?;
    let store = cx.store_unchecked();
    let all = store.all(&Query::<Book>::new()).await?;
    let count = store.count(&Query::<Book>::new()).await?;
    let rows = store.fetch(Sql::new("SELECT title FROM books")).await?;
    let text = format!("{} of {} {count} {}", found.iter().len(), all.len(), rows.len());
    let note = cx.create(Draft::new().with(Note::TEXT, text)).await?;
    cx.commit().await?;
    Reply::json(&note.text)
}

/// TST-7
#[tokio::test]
async fn statements_in_transactions_are_counted() {
    let app = TestApp::new(open_api().route(note)).await;
    app.create_all(["Emma", "Persuasion"].map(book)).await;
    let (noted, count) = app.count_statements(app.post("/books/1/notes", json!({}))).await;
    noted
        .assert_status(200)
        .assert_json_exact(json!("1 of 2 2 2"))
        .assert_statements(5);
    assert_eq!((count.reads, count.writes), (4, 1));
}

/// TST-7
#[tokio::test]
async fn statements_of_another_process_are_not_counted() {
    let app = TestApp::builder(open_api()).over_socket().start().await;
    let stranger = TestClient::at(app.address());
    let response = stranger.get("/books").await.assert_status(200);
    let message = failure(|| response.assert_statements(1));
    assert_eq!(
        message,
        "GET /books: only the statements of a `TestApp` are counted"
    );
}

/// TST-8
#[tokio::test]
async fn a_snapshot_is_a_file_of_the_package() {
    let app = TestApp::builder(open_api())
        .time("2026-03-01T12:00:00Z")
        .start()
        .await;
    app.create(book("Emma")).await;
    app.get("/books")
        .await
        .assert_snapshot("tests/kit/snapshots/books.json");
    app.create(book("Persuasion")).await;
    let response = app.get("/books").await;
    let message = failure(|| response.assert_snapshot("tests/kit/snapshots/books.json"));
    assert!(
        message.contains("books.json:\nline 7:") && message.contains("+     \"title\": \"Persuasion\","),
        "{message}"
    );
    let message = failure(|| assert_snapshot("tests/kit/snapshots/missing.txt", "x"));
    assert!(message.contains("UPDATE_SNAPSHOTS=1 to write it"), "{message}");
    assert_json_snapshot("tests/kit/snapshots/value.json", &json!({"b": 1, "a": [true]}));
}
