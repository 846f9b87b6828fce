//! The blog on a real database.

use model_resource::Caller;
use model_resource_testing::{TestApp, TestClient};
use serde_json::{Value, json};

struct Blog {
    app: TestApp,
    ada: TestClient,
    grace: TestClient,
}

/// A blog with two users, a category, a series and three tags.
async fn blog() -> Blog {
    let app = TestApp::new(blog::api()).await;
    let (ada, grace) = (app.as_caller(Caller::of(1_i64)), app.as_caller(Caller::of(2_i64)));
    for name in ["ada", "grace"] {
        app.post("/users", json!({"username": name}))
            .await
            .assert_status(201);
    }
    ada.post("/categories", json!({"name": "Rust"}))
        .await
        .assert_status(201);
    ada.post("/series", json!({"title": "From Zero"}))
        .await
        .assert_status(201);
    for name in ["async", "sql", "tests"] {
        ada.post("/tags", json!({"name": name})).await.assert_status(201);
    }
    Blog { app, ada, grace }
}

fn article(title: &str, tags: &[&str]) -> Value {
    json!({"title": title, "content": "..", "categoryId": 1, "published": true, "tags": tags})
}

/// List of objects with these slugs.
fn slugs(slugs: &[&str]) -> Value {
    slugs.iter().map(|slug| json!({"slug": slug})).collect()
}

#[tokio::test]
async fn articles_name_their_tags() {
    let blog = blog().await;
    let created = blog
        .ada
        .post("/articles", article("One", &["sql", "async"]))
        .await;
    created
        .assert_status(201)
        .assert_json(json!({"tags": ["async", "sql"]}));
    let unknown = blog.ada.post("/articles", article("Two", &["sql", "fun"])).await;
    unknown
        .assert_status(400)
        .assert_json(json!({"errors": {"tags": {"1": ["Tag does not exist."]}}}));
    blog.app
        .get("/articles")
        .await
        .assert_status(200)
        .assert_json(json!([{}]));

    let change = json!({"tags": {"add": ["tests"], "remove": ["async"]}});
    blog.app
        .patch("/articles/one", change.clone())
        .await
        .assert_status(401);
    blog.grace
        .patch("/articles/one", change.clone())
        .await
        .assert_status(403);
    let changed = blog.ada.patch("/articles/one", change).await.assert_status(200);
    changed.assert_json(json!({"tags": ["sql", "tests"]}));
    let found = blog.app.get("/articles?tags.name=tests").await.assert_status(200);
    found.assert_json(slugs(&["one"]));
    blog.app
        .get("/articles?tags.name=async")
        .await
        .assert_status(200)
        .assert_json_exact(json!([]));
}

#[tokio::test]
async fn articles_are_sorted_by_their_number_of_tags() {
    let blog = blog().await;
    for (title, tags) in [
        ("One", &["sql"][..]),
        ("Two", &["async", "sql", "tests"]),
        ("Three", &[]),
    ] {
        blog.ada
            .post("/articles", article(title, tags))
            .await
            .assert_status(201);
    }
    let sorted = blog
        .app
        .get("/articles?sort=-tags.count")
        .await
        .assert_status(200);
    sorted.assert_json(slugs(&["two", "one", "three"]));
    let sorted = blog.app.get("/articles?sort=tags.count").await.assert_status(200);
    sorted.assert_json(slugs(&["three", "one", "two"]));
}

#[tokio::test]
async fn a_series_lists_its_articles_in_reading_order() {
    let blog = blog().await;
    for (title, part) in [("End", 3), ("Start", 1), ("Middle", 2)] {
        let mut body = article(title, &[]);
        body["part"] = json!(part);
        blog.ada
            .post("/series/from-zero/articles", body)
            .await
            .assert_status(201);
    }
    let series = blog.app.get("/series/from-zero").await.assert_status(200);
    series.assert_json(json!({"articles": ["start", "middle", "end"]}));
    let taken = blog
        .ada
        .patch("/articles/end", json!({"part": 1}))
        .await
        .assert_status(400);
    assert!(
        taken.text().contains("The series has such a part already."),
        "{}",
        taken.text()
    );
    blog.ada
        .patch("/articles/start", json!({"part": 4}))
        .await
        .assert_status(200);
    let series = blog.app.get("/series").await.assert_status(200);
    series.assert_json(json!([{"articles": ["middle", "end", "start"]}]));
}

#[tokio::test]
async fn drafts_exist_only_for_their_author() {
    let blog = blog().await;
    blog.ada
        .post("/series/from-zero/articles", article("Public", &["sql"]))
        .await
        .assert_status(201);
    let mut draft = article("Secret", &["sql", "tests"]);
    draft["published"] = json!(false);
    blog.app.post("/articles", draft.clone()).await.assert_status(401);
    blog.ada
        .post("/series/from-zero/articles", draft)
        .await
        .assert_status(201);

    for other in [&*blog.app, &blog.grace] {
        other.get("/articles/secret").await.assert_status(404);
        other.get("/articles/secret/tags").await.assert_status(404);
        other
            .patch("/articles/secret", json!({"title": "Mine"}))
            .await
            .assert_status(404);
        for list in [
            "/articles",
            "/users/ada/articles",
            "/series/from-zero/articles",
            "/articles?tags.name=sql",
        ] {
            other
                .get(list)
                .await
                .assert_status(200)
                .assert_json(slugs(&["public"]));
        }
        // Nor in the lists of related keys.
        let series = other.get("/series/from-zero").await.assert_status(200);
        series.assert_json(json!({"articles": ["public"]}));
        let tags = other.get("/tags").await.assert_status(200);
        tags.assert_json(json!([{"articles": []}, {"articles": [1]}, {"articles": []}]));
    }
    let tags = blog.ada.get("/tags").await.assert_status(200);
    tags.assert_json(json!([{"articles": []}, {"articles": [1, 2]}, {"articles": [2]}]));
    blog.ada
        .patch("/articles/secret", json!({"published": true}))
        .await
        .assert_status(200);
    let seen = blog.app.get("/articles/secret").await.assert_status(200);
    seen.assert_json(json!({"tags": ["sql", "tests"]}));
}

#[tokio::test]
async fn only_the_author_writes_an_article_and_its_tags() {
    let blog = blog().await;
    blog.ada
        .post("/articles", article("One", &["sql"]))
        .await
        .assert_status(201);
    let mut other = article("Two", &[]);
    other["authorId"] = json!(1);
    blog.grace.post("/articles", other).await.assert_status(400);
    blog.grace
        .post("/users/ada/articles", article("Two", &[]))
        .await
        .assert_status(403);
    blog.grace.delete("/articles/one").await.assert_status(403);
    blog.grace
        .post("/articles/one/tags", json!({"tagId": 1}))
        .await
        .assert_status(403);
    blog.ada
        .post("/articles/one/tags", json!({"tagId": 1}))
        .await
        .assert_status(201);
    blog.ada
        .post("/articles/one/tags", json!({"tagId": 1}))
        .await
        .assert_status(400);
    let saved = blog.app.get("/users/ada/articles/one").await.assert_status(200);
    saved.assert_json(json!({"tags": ["async", "sql"], "authorId": 1}));
    blog.app.get("/users/grace/articles/one").await.assert_status(404);
    blog.app
        .patch("/tags/sql", json!({"name": "nosql"}))
        .await
        .assert_status(401);
    blog.grace
        .patch("/users/ada", json!({"username": "eve"}))
        .await
        .assert_status(403);
}
