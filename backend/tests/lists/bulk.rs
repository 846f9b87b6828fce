//! Bulk requests are atomic.

use ::http::Method;
use serde_json::{Value, json};

use crate::sample_articles::{app_with_articles, ids};
use crate::support::BackendApp;

const ARTICLES: &str = "/api/v1/articles";
const COMMENTS: &str = "/api/v1/articles/1/comments";
const TAGS: &str = "/api/v1/tags";

fn article(number: usize) -> Value {
    json!({"title": format!("Number {number}"), "body": "Text"})
}

/// BLK-1: one bulk request creates, updates, replaces or deletes many objects.
#[tokio::test]
async fn many_objects_are_written_by_one_request() {
    let app = BackendApp::start().await;
    let made = app
        .post(ARTICLES, json!([article(1), article(2), article(3)]))
        .await
        .expect(201);
    assert!(!made.headers.contains_key("location"));
    let made = made.json();
    assert_eq!(ids(&made), [1, 2, 3]);
    app.get(ARTICLES).await.expect_json(200, made);

    let changes = json!([{"id": 3, "title": "Third"}, {"id": 1, "rating": 4.5}]);
    let changed = app.patch(ARTICLES, changes).await.expect(200).json();
    assert_eq!(ids(&changed), [3, 1]);
    assert_eq!(
        (&changed[0]["title"], &changed[0]["body"], &changed[1]["rating"]),
        (&json!("Third"), &json!("Text"), &json!(4.5))
    );
    let wholes = json!([{"id": 1, "title": "First", "body": "New"}]);
    let replaced = app.put(ARTICLES, wholes).await.expect(200).json();
    let one = app.get("/api/v1/articles/1").await.expect(200).json();
    assert_eq!((&replaced[0], &one["title"]), (&one, &json!("First")));

    app.delete("/api/v1/articles?id=3&id=1").await.expect(204);
    assert_eq!(app.articles("").await, [2]);
}

#[tokio::test]
async fn an_envelope_surrounds_the_whole_array() {
    let app = BackendApp::start().await;
    let tags = json!({"tags": [{"name": "a"}, {"name": "b"}]});
    let made = json!({"tags": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]});
    app.post(TAGS, tags).await.expect_json(201, made);
    let changed = json!({"tags": [{"id": 2, "name": "z"}]});
    app.patch(TAGS, changed.clone()).await.expect_json(200, changed);
    for body in [
        json!([{"name": "c"}]),
        json!({"tags": [{"name": "c"}], "more": 1}),
        json!({"tags": {"name": "c"}}),
        json!({"tags": [{"tag": {"name": "c"}}]}),
    ] {
        app.post(TAGS, body).await.expect(400);
    }
    let rejection = app.patch(TAGS, json!([{"id": 1, "name": "x"}])).await.expect(400);
    assert!(
        rejection.text().contains("single key \\\"tags\\\""),
        "{}",
        rejection.text()
    );
    let seen = app
        .with_header("prefer", "return=representation")
        .delete("/api/v1/tags?id=2&id=1")
        .await
        .expect(200);
    assert_eq!(seen.header("preference-applied"), "return=representation");
    assert_eq!(
        seen.json(),
        json!({"tags": [{"id": 2, "name": "z"}, {"id": 1, "name": "a"}]})
    );
}

/// BLK-2: one rejected object rejects the request, which reports its position and writes nothing.
#[tokio::test]
async fn a_forbidden_key_in_row_37_rejects_all_rows_and_names_it() {
    let app = app_with_articles().await;
    let before = app.database().rows();
    for (key, value) in [
        ("isAdmin", json!(true)),
        ("password_hash", json!("x")),
        ("categoryId", json!(99)),
        ("authorId", json!({"id": 1})),
        ("title", json!(null)),
    ] {
        let mut many: Vec<Value> = (0..50).map(article).collect();
        many[37][key] = value;
        let rejection = app.post(ARTICLES, json!(many)).await.expect(400).json();
        let errors = rejection["errors"].as_object().unwrap();
        assert_eq!(errors.keys().collect::<Vec<_>>(), ["37"], "{rejection}");
        assert!(errors["37"][key].is_array(), "{rejection}");
        assert_eq!(app.database().rows(), before);
    }
}

#[tokio::test]
async fn every_rejected_object_is_reported_and_the_first_sets_the_status() {
    let app = app_with_articles().await;
    let before = app.database().rows();
    let changes =
        json!([{"id": 1, "title": "x"}, {"id": 99, "title": "x"}, {"id": 2, "title": 7}, {"title": "x"}, 5]);
    app.patch(ARTICLES, changes).await.expect_json(
        404,
        json!({"errors": {
            "1": {"_schema": ["Not found."]},
            "2": {"title": ["Not a valid string."]},
            "3": {"id": ["Id is required."]},
            "4": {"_schema": ["Expected a JSON object."]},
        }}),
    );
    app.delete("/api/v1/articles?id=2&id=x&id=2").await.expect_json(
        404,
        json!({"errors": {"1": {"_schema": ["Not found."]}, "2": {"_schema": ["Not found."]}}}),
    );
    let twice = json!({"tags": [{"name": "a"}, {"name": "a"}]});
    app.post(TAGS, twice).await.expect_json(
        400,
        json!({"errors": {"1": {"name": ["Name is already taken."]}}}),
    );
    assert_eq!(app.database().rows(), before);
}

#[tokio::test]
async fn the_number_of_reported_objects_is_limited() {
    let app = BackendApp::start().await;
    let rejection = app
        .post(ARTICLES, json!(vec![json!({}); 500]))
        .await
        .expect(400)
        .json();
    assert_eq!(rejection["errors"].as_object().unwrap().len(), 50, "{rejection}");
}

#[tokio::test]
async fn a_problem_document_has_the_positions_too() {
    let app = BackendApp::start().await;
    let problem = app
        .with_header("accept", "application/problem+json")
        .post(ARTICLES, json!([article(1), {}]))
        .await
        .expect(400)
        .json();
    assert_eq!(problem["code"], "bulk_rejected");
    assert!(problem["errors"]["1"]["title"].is_array(), "{problem}");
}

/// BLK-3: below a parent, a bulk request is limited to the parent's objects.
#[tokio::test]
async fn objects_below_another_parent_are_not_found() {
    let app = app_with_articles().await;
    let before = app.database().rows();
    let mine = app.get(COMMENTS).await.expect(200).json();
    let other = app.get("/api/v1/articles/4/comments").await.expect(200).json();
    let (mine, other) = (&mine[0]["id"], &other[0]["id"]);
    let changes = json!([{"id": mine, "body": "x"}, {"id": other, "body": "x"}]);
    let not_there = json!({"errors": {"1": {"_schema": ["Not found."]}}});
    app.patch(COMMENTS, changes)
        .await
        .expect_json(404, not_there.clone());
    let url = format!("{COMMENTS}?id={mine}&id={other}");
    app.delete(&url).await.expect_json(404, not_there);
    let foreign = json!([{"name": "Eve", "body": "x"}, {"name": "Eve", "body": "x", "articleId": 4}]);
    let rejection = app.post(COMMENTS, foreign).await.expect(400).json();
    assert!(rejection["errors"]["1"]["articleId"].is_array(), "{rejection}");
    let orphans = json!([{"name": "Eve", "body": "x"}]);
    app.post("/api/v1/articles/99/comments", orphans)
        .await
        .expect(404);
    assert_eq!(app.database().rows(), before);

    let fitting = json!([{"name": "Ann", "body": "x"}, {"name": "Ann", "body": "y", "articleId": 1}]);
    let made = app.post(COMMENTS, fitting).await.expect(201).json();
    assert_eq!(
        (&made[0]["articleId"], &made[1]["articleId"]),
        (&json!(1), &json!(1))
    );
}

/// BLK-4: a request with no objects, too many objects or another body changes nothing.
#[tokio::test]
async fn a_bulk_request_without_objects_changes_nothing() {
    let app = app_with_articles().await;
    let before = app.database().rows();
    let sent = async |method: Method, url: &str, body: Value, expected: &str| {
        let text = app.send_json(method, url, body).await.expect(400).text();
        assert!(text.contains(expected), "{text}");
    };
    sent(Method::POST, ARTICLES, json!([]), "at least one").await;
    sent(Method::PATCH, ARTICLES, json!([]), "at least one").await;
    sent(Method::PATCH, ARTICLES, json!({"id": 1}), "a JSON array").await;
    sent(Method::PUT, ARTICLES, json!("x"), "a JSON array").await;
    sent(
        Method::POST,
        ARTICLES,
        json!(vec![article(1); 1001]),
        "at most 1000",
    )
    .await;
    sent(Method::POST, ARTICLES, json!([[article(1)]]), "a JSON object").await;
    sent(Method::DELETE, ARTICLES, json!([1, 2]), "?id=1&id=2").await;
    for (query, expected) in [
        ("", "?id=1&id=2"),
        ("?title=Alpha", "Unknown parameter \\\"title\\\""),
        ("?id=1&published=true", "Unknown parameter \\\"published\\\""),
        ("?id[in]=1,2", "Unknown parameter \\\"id[in]\\\""),
    ] {
        let text = app.delete(&format!("{ARTICLES}{query}")).await.expect(400).text();
        assert!(text.contains(expected), "{text}");
    }
    let cut = app.send(
        Method::POST,
        ARTICLES,
        Some(("application/json", "[{\"title\":".into())),
    );
    cut.await.expect(400);
    assert_eq!(app.database().rows(), before);
}

/// BLK-1: only the operations that the resource declares support bulk requests.
#[tokio::test]
async fn bulk_operations_that_a_resource_does_not_declare_are_rejected() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!([{"name": "a"}]))
        .await
        .expect(400);
    for method in [Method::PATCH, Method::PUT, Method::DELETE] {
        app.send_json(method, "/api/v1/categories", json!([{"id": 1}]))
            .await
            .expect(405);
    }
    app.put(TAGS, json!({"tags": [{"id": 1, "name": "a"}]}))
        .await
        .expect(405);
    let allowed = app.options(TAGS).await.expect(204);
    assert_eq!(allowed.header("allow"), "GET, HEAD, POST, PATCH, DELETE, OPTIONS");
}

/// Requests that change the same rows in opposite orders wait for each other, or are answered with a retryable status.
#[tokio::test]
async fn opposite_orders_of_the_same_rows_are_not_a_500() {
    let app = app_with_articles().await;
    let change = async |order: [i64; 4], text: &str| {
        let changes: Vec<Value> = order
            .iter()
            .map(|id| json!({"id": id, "summary": text}))
            .collect();
        app.patch(ARTICLES, json!(changes)).await.status.as_u16()
    };
    for round in 0..10 {
        let (up, down) = (format!("up {round}"), format!("down {round}"));
        let (first, second) = tokio::join!(change([1, 2, 3, 4], &up), change([4, 3, 2, 1], &down));
        for status in [first, second] {
            assert!([200, 503].contains(&status), "{status}");
        }
        let list = app
            .get("/api/v1/articles?id[lte]=4&fields=summary")
            .await
            .expect(200)
            .json();
        let summaries = list.as_array().unwrap();
        assert!(summaries.iter().all(|one| *one == summaries[0]), "{list}");
    }
}
