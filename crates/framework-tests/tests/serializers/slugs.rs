//! Stable slugs, and slugs with constraints.

use model_resource::{Api, Model, ModelSerializer, Timestamp, model_resource, serializer};
use serde_json::json;
use test_support::TestApp;

use super::expect_error;

#[derive(Model)]
struct Essay {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(slug(from = title, stable), unique)]
    permalink: String,
    #[column(slug(from = title), min_length = 1, max_length = 8)]
    slug: String,
    #[column(updated)]
    updated_at: Timestamp,
}

struct EssaySerializer;

#[serializer]
impl ModelSerializer for EssaySerializer {
    type Model = Essay;
}

#[model_resource(Essay, "/essays", "/essays/<int:id>")]
struct EssayResource;

async fn app() -> TestApp {
    let api = Api::new("api").serializer::<EssaySerializer>();
    TestApp::with_api(api.model_resource::<EssayResource>()).await
}

/// SER-28: a stable slug is generated on create and kept when its source changes; any other slug follows its source.
#[tokio::test]
async fn a_stable_slug_stays_when_its_source_changes() {
    let app = app().await;
    let created = app
        .post("/essays", json!({"title": "One"}))
        .await
        .expect(201)
        .json();
    assert_eq!(
        (&created["permalink"], &created["slug"]),
        (&json!("one"), &json!("one"))
    );
    for (path, body) in [
        ("/essays/1", json!({"title": "Two"})),
        ("/essays/1", json!({"title": "Three"})),
    ] {
        let patched = app.patch(path, body.clone()).await.expect(200).json();
        assert_eq!(patched["permalink"], "one");
        assert_eq!(patched["slug"], body["title"].as_str().unwrap().to_lowercase());
    }
    let put = app
        .put("/essays/1", json!({"title": "Four"}))
        .await
        .expect(200)
        .json();
    assert_eq!((&put["permalink"], &put["slug"]), (&json!("one"), &json!("four")));
    // The slug of a former title is still in use.
    let taken = app.post("/essays", json!({"title": "One"})).await;
    let message = "Its permalink \"one\" is already taken; choose another title.";
    expect_error(taken, "title", message);
}

/// SER-31: a slug that violates its column's constraints is an error of its source column.
#[tokio::test]
async fn a_slug_that_violates_its_constraints_is_an_error_of_its_source() {
    let app = app().await;
    app.post("/essays", json!({"title": "One"})).await.expect(201);
    let before = app.database().rows();
    let empty = json!({"title": "!!!"});
    let both = ["Must contain a letter or a digit.", "May not be empty."];
    let created = app.post("/essays", empty.clone()).await;
    created.expect_json(400, json!({"errors": {"title": both}}));
    expect_error(app.patch("/essays/1", empty.clone()).await, "title", both[1]);
    expect_error(app.put("/essays/1", empty).await, "title", both[1]);
    let (long, message) = (
        json!({"title": "Nine Lives"}),
        "Longer than the maximum length 8.",
    );
    expect_error(app.post("/essays", long.clone()).await, "title", message);
    expect_error(app.patch("/essays/1", long.clone()).await, "title", message);
    expect_error(app.put("/essays/1", long).await, "title", message);
    assert_eq!(app.database().rows(), before);
}

#[derive(Model)]
struct Topic {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(unique, slug(from = name))]
    slug: String,
}

struct TopicSerializer;

#[serializer]
impl ModelSerializer for TopicSerializer {
    type Model = Topic;
}

#[model_resource(Topic, "/topics", "/topics/<slug>")]
struct TopicResource;

/// SER-32: a unique slug is never empty, so that each row has a URL.
#[tokio::test]
async fn a_string_without_letters_and_digits_has_no_unique_slug() {
    let api = Api::new("api").serializer::<TopicSerializer>();
    let app = TestApp::with_api(api.model_resource::<TopicResource>()).await;
    app.post("/topics", json!({"name": "Rust"})).await.expect(201);
    let before = app.database().rows();
    let message = "Must contain a letter or a digit.";
    for name in ["!!!", "", "  "] {
        let body = json!({"name": name});
        expect_error(app.post("/topics", body.clone()).await, "name", message);
        expect_error(app.patch("/topics/rust", body.clone()).await, "name", message);
        expect_error(app.put("/topics/rust", body).await, "name", message);
    }
    assert_eq!(app.database().rows(), before);
}

#[derive(Model)]
struct Chapter {
    #[column(primary_key)]
    id: i64,
    #[column(unique, slug(from = title))]
    slug: String,
    title: String,
    #[column(unique)]
    heading: Option<String>,
    #[column(unique, slug(from = heading))]
    anchor: Option<String>,
    #[column(unique, message(unique = "Too much alike."))]
    caption: Option<String>,
    #[column(unique, slug(from = caption))]
    caption_slug: Option<String>,
    motto: Option<String>,
    #[column(unique, slug(from = motto), message(unique = "This motto is in use."))]
    motto_slug: Option<String>,
}

struct ChapterSerializer;

#[serializer]
impl ModelSerializer for ChapterSerializer {
    type Model = Chapter;
}

#[model_resource(Chapter, "/chapters", "/chapters/<slug>")]
struct ChapterResource;

/// ERR-25: create, put and patch report a duplicate slug under its source, which may allow duplicates itself. A
/// duplicate source is reported as such, and custom messages are kept.
#[tokio::test]
async fn a_duplicate_slug_is_reported_under_its_source() {
    let api = Api::new("api").serializer::<ChapterSerializer>();
    let app = TestApp::with_api(api.model_resource::<ChapterResource>()).await;
    let first = json!({"title": "My Title", "heading": "A b", "caption": "C", "motto": "D"});
    app.post("/chapters", first).await.expect(201);
    app.post("/chapters", json!({"title": "Other"})).await.expect(201);
    let before = app.database().rows();
    for (body, field, message) in [
        (
            json!({"title": "My Title"}),
            "title",
            "Its slug \"my-title\" is already taken; choose another title.",
        ),
        (
            json!({"title": "my title?"}),
            "title",
            "Its slug \"my-title\" is already taken; choose another title.",
        ),
        (
            json!({"title": "x", "heading": "A b"}),
            "heading",
            "Heading is already taken.",
        ),
        (
            json!({"title": "x", "heading": "a B!"}),
            "heading",
            "Its anchor \"a-b\" is already taken; choose another heading.",
        ),
        (
            json!({"title": "x", "caption": "C"}),
            "caption",
            "Too much alike.",
        ),
        (
            json!({"title": "x", "caption": "c!"}),
            "caption",
            "Too much alike.",
        ),
        (
            json!({"title": "x", "motto": "D"}),
            "motto",
            "This motto is in use.",
        ),
    ] {
        expect_error(app.post("/chapters", body.clone()).await, field, message);
        expect_error(app.patch("/chapters/other", body.clone()).await, field, message);
        expect_error(app.put("/chapters/other", body).await, field, message);
    }
    assert_eq!(app.database().rows(), before);
}

/// ERR-25: messages quote at most 64 characters of a slug.
#[tokio::test]
async fn a_long_slug_is_cut_in_messages() {
    let api = Api::new("api").serializer::<ChapterSerializer>();
    let app = TestApp::with_api(api.model_resource::<ChapterResource>()).await;
    let body = json!({"title": "a".repeat(300)});
    app.post("/chapters", body.clone()).await.expect(201);
    let message = format!(
        "Its slug \"{}…\" is already taken; choose another title.",
        "a".repeat(64)
    );
    expect_error(app.post("/chapters", body).await, "title", &message);
}
