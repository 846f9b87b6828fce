//! The blog over a real socket and database.

use serde_json::{Value, json};
use test_support::{Client, TestApp};

struct Blog {
    app: TestApp,
    ada: Client,
    grace: Client,
}

/// A blog with two users, a category, a series and three tags.
async fn blog() -> Blog {
    let app = TestApp::with_api(blog::api()).await;
    let (ada, grace) = (app.with_header("user", "1"), app.with_header("user", "2"));
    for name in ["ada", "grace"] {
        app.post("/users", json!({"username": name})).await.expect(201);
    }
    ada.post("/categories", json!({"name": "Rust"})).await.expect(201);
    ada.post("/series", json!({"title": "From Zero"}))
        .await
        .expect(201);
    for name in ["async", "sql", "tests"] {
        ada.post("/tags", json!({"name": name})).await.expect(201);
    }
    Blog { app, ada, grace }
}

fn article(title: &str, tags: &[&str]) -> Value {
    json!({"title": title, "content": "..", "categoryId": 1, "published": true, "tags": tags})
}

/// Member of each object of a list.
fn each(list: &Value, member: &str) -> Value {
    let objects = list.as_array().expect("a list").iter();
    objects.map(|object| object[member].clone()).collect()
}

#[tokio::test]
async fn articles_name_their_tags() {
    let blog = blog().await;
    let created = blog
        .ada
        .post("/articles", article("One", &["sql", "async"]))
        .await;
    assert_eq!(created.expect(201).json()["tags"], json!(["async", "sql"]));
    let unknown = blog.ada.post("/articles", article("Two", &["sql", "fun"])).await;
    assert!(unknown.expect(400).json()["errors"]["tags"]["1"].is_array());
    assert_eq!(
        blog.app
            .get("/articles")
            .await
            .expect(200)
            .json()
            .as_array()
            .map(Vec::len),
        Some(1)
    );

    let change = json!({"tags": {"add": ["tests"], "remove": ["async"]}});
    blog.app.patch("/articles/one", change.clone()).await.expect(401);
    blog.grace
        .patch("/articles/one", change.clone())
        .await
        .expect(403);
    let changed = blog.ada.patch("/articles/one", change).await.expect(200).json();
    assert_eq!(changed["tags"], json!(["sql", "tests"]));
    let found = blog.app.get("/articles?tags.name=tests").await.expect(200).json();
    assert_eq!(each(&found, "slug"), json!(["one"]));
    blog.app
        .get("/articles?tags.name=async")
        .await
        .expect_json(200, json!([]));
}

#[tokio::test]
async fn articles_are_sorted_by_their_number_of_tags() {
    let blog = blog().await;
    for (title, tags) in [
        ("One", &["sql"][..]),
        ("Two", &["async", "sql", "tests"]),
        ("Three", &[]),
    ] {
        blog.ada.post("/articles", article(title, tags)).await.expect(201);
    }
    let sorted = blog
        .app
        .get("/articles?sort=-tags.count")
        .await
        .expect(200)
        .json();
    assert_eq!(each(&sorted, "slug"), json!(["two", "one", "three"]));
    let sorted = blog.app.get("/articles?sort=tags.count").await.expect(200).json();
    assert_eq!(each(&sorted, "slug"), json!(["three", "one", "two"]));
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
            .expect(201);
    }
    let series = blog.app.get("/series/from-zero").await.expect(200).json();
    assert_eq!(series["articles"], json!(["start", "middle", "end"]));
    let taken = blog
        .ada
        .patch("/articles/end", json!({"part": 1}))
        .await
        .expect(400);
    assert!(
        taken.text().contains("The series has such a part already."),
        "{}",
        taken.text()
    );
    blog.ada
        .patch("/articles/start", json!({"part": 4}))
        .await
        .expect(200);
    let series = blog.app.get("/series").await.expect(200).json();
    assert_eq!(series[0]["articles"], json!(["middle", "end", "start"]));
}

#[tokio::test]
async fn drafts_exist_only_for_their_author() {
    let blog = blog().await;
    blog.ada
        .post("/series/from-zero/articles", article("Public", &["sql"]))
        .await
        .expect(201);
    let mut draft = article("Secret", &["sql", "tests"]);
    draft["published"] = json!(false);
    blog.app.post("/articles", draft.clone()).await.expect(401);
    blog.ada
        .post("/series/from-zero/articles", draft)
        .await
        .expect(201);

    for other in [&blog.app.anonymous, &blog.grace] {
        other.get("/articles/secret").await.expect(404);
        other.get("/articles/secret/tags").await.expect(404);
        other
            .patch("/articles/secret", json!({"title": "Mine"}))
            .await
            .expect(404);
        for list in [
            "/articles",
            "/users/ada/articles",
            "/series/from-zero/articles",
            "/articles?tags.name=sql",
        ] {
            assert_eq!(
                each(&other.get(list).await.expect(200).json(), "slug"),
                json!(["public"]),
                "{list}"
            );
        }
        // Nor in the lists of related keys.
        let series = other.get("/series/from-zero").await.expect(200).json();
        assert_eq!(series["articles"], json!(["public"]));
        let tags = other.get("/tags").await.expect(200).json();
        assert_eq!(each(&tags, "articles"), json!([[], [1], []]));
    }
    let tags = blog.ada.get("/tags").await.expect(200).json();
    assert_eq!(each(&tags, "articles"), json!([[], [1, 2], [2]]));
    blog.ada
        .patch("/articles/secret", json!({"published": true}))
        .await
        .expect(200);
    assert_eq!(
        blog.app.get("/articles/secret").await.expect(200).json()["tags"],
        json!(["sql", "tests"])
    );
}

#[tokio::test]
async fn only_the_author_writes_an_article_and_its_tags() {
    let blog = blog().await;
    blog.ada
        .post("/articles", article("One", &["sql"]))
        .await
        .expect(201);
    let mut other = article("Two", &[]);
    other["authorId"] = json!(1);
    blog.grace.post("/articles", other).await.expect(400);
    blog.grace
        .post("/users/ada/articles", article("Two", &[]))
        .await
        .expect(403);
    blog.grace.delete("/articles/one").await.expect(403);
    blog.grace
        .post("/articles/one/tags", json!({"tagId": 1}))
        .await
        .expect(403);
    blog.ada
        .post("/articles/one/tags", json!({"tagId": 1}))
        .await
        .expect(201);
    blog.ada
        .post("/articles/one/tags", json!({"tagId": 1}))
        .await
        .expect(400);
    let saved = blog.app.get("/users/ada/articles/one").await.expect(200).json();
    assert_eq!(
        (&saved["tags"], &saved["authorId"]),
        (&json!(["async", "sql"]), &json!(1))
    );
    blog.app.get("/users/grace/articles/one").await.expect(404);
    blog.app
        .patch("/tags/sql", json!({"name": "nosql"}))
        .await
        .expect(401);
    blog.grace
        .patch("/users/ada", json!({"username": "eve"}))
        .await
        .expect(403);
}
