//! Time that only the test moves.

use std::time::Duration;

use model_resource::{Caller, Draft, Timestamp};
use model_resource_testing::TestApp;
use serde_json::{Value, json};

use crate::library::{Book, Member, Note, api, book, failure, member, open_api};

const NOON: &str = "2026-03-01T12:00:00Z";
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

async fn at_noon() -> TestApp {
    TestApp::builder(api())
        .accounts::<Member>()
        .time(NOON)
        .start()
        .await
}

/// TST-6
#[tokio::test]
async fn rows_get_the_time_of_their_application() {
    let (app, other) = (at_noon().await, at_noon().await);
    app.advance(HOUR);
    let librarian = app.as_caller(Caller::of(1_i64).with_roles(["librarian"]));
    let created = librarian
        .post("/books", json!({"title": "Emma"}))
        .await
        .assert_status(201);
    created.assert_json(json!({"createdAt": "2026-03-01T13:00:00Z", "updatedAt": "2026-03-01T13:00:00Z"}));
    app.set_time("2028-02-29T00:00:00Z");
    let changed = librarian
        .patch("/books/1", json!({"title": "Emma!"}))
        .await
        .assert_status(200);
    changed.assert_json(json!({"createdAt": "2026-03-01T13:00:00Z", "updatedAt": "2028-02-29T00:00:00Z"}));
    app.advance(DAY);
    librarian.delete("/books/1").await.assert_status(204);
    let time = |text: &str| text.parse::<Timestamp>().unwrap();
    assert_eq!(
        app.all::<Book>().await[0].deleted_at,
        Some(time("2028-03-01T00:00:00Z"))
    );
    assert_eq!(app.now(), time("2028-03-01T00:00:00Z"));
    assert_eq!(other.create(book("Persuasion")).await.created_at, time(NOON));
}

/// TST-6
#[tokio::test]
async fn keys_have_the_time_of_their_application_and_keep_their_order() {
    let app = at_noon().await;
    let notes = ["a", "b", "c"].map(|text| Draft::new().with(Note::TEXT, text.to_owned()));
    let notes = app.create_all(notes).await;
    assert!(notes.is_sorted_by_key(|note| note.id));
    let seconds = notes[0].id.get_timestamp().map(|time| time.to_unix().0);
    assert_eq!(seconds, Some(1_772_366_400));
    let listed: Vec<Value> = app.get("/notes").await.assert_status(200).json();
    let texts: Vec<&Value> = listed.iter().map(|note| &note["text"]).collect();
    assert_eq!(texts, ["a", "b", "c"]);
}

/// TST-6
#[tokio::test]
async fn credentials_expire_when_the_time_of_the_application_comes() {
    let app = at_noon().await;
    let ann = app.create(member("ann")).await;
    let (program, browser) = (app.as_user(&ann).await, app.with_session(&ann).await);
    app.advance(13 * DAY);
    program.get("/me").await.assert_status(200);
    app.advance(2 * DAY);
    browser.get("/me").await.assert_status(401);
    program.get("/me").await.assert_status(200);
    app.advance(16 * DAY);
    program.get("/me").await.assert_status(401);
}

/// TST-6
#[tokio::test]
async fn rate_limits_end_with_the_time_of_the_application() {
    let (app, other) = (at_noon().await, at_noon().await);
    app.post("/knock", json!({}))
        .await
        .assert_status(200)
        .assert_json(json!(NOON));
    app.post("/knock", json!({}))
        .await
        .assert_status(429)
        .assert_header("retry-after", "60");
    app.advance(Duration::from_secs(59));
    app.post("/knock", json!({}))
        .await
        .assert_status(429)
        .assert_header("retry-after", "1");
    app.advance(Duration::from_secs(1));
    app.post("/knock", json!({})).await.assert_status(200);
    other.post("/knock", json!({})).await.assert_status(200);
}

/// TST-6
#[tokio::test]
async fn stored_responses_expire_when_the_time_of_the_application_comes() {
    let app = at_noon().await;
    let retry = app.with_header("idempotency-key", "\"one\"");
    let first = retry
        .post("/notes", json!({"text": "a"}))
        .await
        .assert_status(201);
    app.advance(23 * HOUR);
    let again = retry
        .post("/notes", json!({"text": "a"}))
        .await
        .assert_status(201);
    assert_eq!(again.text(), first.text());
    assert_eq!(app.all::<Note>().await.len(), 1);
    app.advance(2 * HOUR);
    let later = retry
        .post("/notes", json!({"text": "a"}))
        .await
        .assert_status(201);
    assert_ne!(later.text(), first.text());
    assert_eq!(app.all::<Note>().await.len(), 2);
}

/// TST-6
#[tokio::test]
async fn the_second_of_a_change_ends_with_the_time_of_the_application() {
    let app = at_noon().await;
    app.create(book("Emma")).await;
    assert_eq!(app.get("/books/1").await.header("last-modified"), "");
    app.advance(Duration::from_secs(2));
    app.get("/books/1")
        .await
        .assert_header("last-modified", "Sun, 01 Mar 2026 12:00:00 GMT");
}

/// TST-6
#[tokio::test]
async fn time_that_runs_cannot_be_moved() {
    let app = TestApp::new(open_api()).await;
    let before = app.now();
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert!(app.now() > before);
    let message = failure(|| app.advance(HOUR));
    assert!(message.contains(".time(\"2026-03-01T12:00:00Z\")"), "{message}");
    let message = failure(|| at_time("noon"));
    assert!(
        message.contains("\"noon\" is no time, such as 2026-03-01T12:00:00Z"),
        "{message}"
    );
}

fn at_time(time: &str) {
    let _ = TestApp::builder(open_api()).time(time);
}
