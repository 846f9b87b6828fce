//! Field selection and expansion of relations.

use serde_json::{Value, json};

use crate::sample_articles::app_with_articles;
use crate::support::BackendApp;

/// LST-7: only the selected fields are returned.
#[tokio::test]
async fn only_the_selected_fields_are_returned() {
    let app = app_with_articles().await;
    let list = app.get("/api/v1/articles?fields=title,id&id=1").await;
    list.expect_json(200, json!([{"id": 1, "title": "Alpha"}]));
    let one = app.get("/api/v1/articles/1?fields=title").await;
    one.expect_json(200, json!({"title": "Alpha"}));
    app.get("/api/v1/articles/1?fields=nope").await.expect(400);
    app.get("/api/v1/articles/99?fields=title").await.expect(404);
}

#[tokio::test]
async fn relations_are_expanded_on_request() {
    let app = app_with_articles().await;
    let plain = app.get("/api/v1/articles?id=1").await.expect(200).json();
    assert_eq!(
        (&plain[0]["category"], &plain[0]["comments"]),
        (&Value::Null, &Value::Null)
    );
    let query = "/api/v1/articles?id[in]=1,3&fields=id,category.name,comments.body&expand=category,comments";
    app.get(query).await.expect_json(
        200,
        json!([
            {"id": 1, "category": {"name": "Rust"}, "comments": [{"body": "first"}, {"body": "second"}]},
            {"id": 3, "category": null, "comments": []},
        ]),
    );
    let one = app
        .get("/api/v1/articles/4?fields=id,comments.article.title&expand=comments.article")
        .await;
    one.expect_json(
        200,
        json!({"id": 4, "comments": [{"article": {"title": "gamma_ray"}}]}),
    );
}

#[tokio::test]
async fn an_author_is_shown_without_private_columns() {
    let app = app_with_articles().await;
    let (user, client) = app.user("ada").await;
    let body = json!({"title": "T", "body": "B", "authorId": user});
    let article = client.post("/api/v1/articles", body).await.expect(201).json();
    let one = app
        .get(&format!(
            "/api/v1/articles/{}?expand=author&fields=id",
            article["id"]
        ))
        .await;
    one.expect_json(
        200,
        json!({"id": article["id"], "author": {"id": user, "username": "ada"}}),
    );
    assert_eq!(
        app.articles("author.username=ada").await,
        [article["id"].as_i64().unwrap()]
    );
}

/// Returns the number of reads that authenticate a client.
async fn authentication_reads(app: &BackendApp) -> u64 {
    let before = app.store.read_count();
    app.get("/api/v1/auth/status").await.expect(200);
    app.store.read_count() - before
}

/// LST-7: expanding a relation takes one statement, regardless of the number of rows.
#[tokio::test]
async fn a_relation_takes_one_statement_for_all_rows() {
    let app = app_with_articles().await;
    for number in 0..95 {
        let body = json!({"title": format!("n{number}"), "body": "b", "categoryId": number % 2 + 1});
        app.post("/api/v1/articles", body).await.expect(201);
    }
    let known = authentication_reads(&app).await;
    for (query, statements) in [
        ("fields=id", 1),
        ("expand=category", 2),
        ("expand=category,comments", 3),
        ("expand=category,comments&limit=100", 3),
        ("expand=category,comments&page=1&pageSize=100", 4),
    ] {
        let before = app.store.read_count();
        let list = app
            .get(&format!("/api/v1/articles?{query}"))
            .await
            .expect(200)
            .json();
        assert_eq!(list.as_array().unwrap().len(), 100);
        assert_eq!(app.store.read_count() - before - known, statements, "{query}");
    }
}

/// LST-7: related rows are fetched in batches, and each row gets its own.
#[tokio::test]
async fn each_of_many_rows_gets_its_own_related_rows() {
    let app = app_with_articles().await;
    let articles: Vec<Value> = (0..298)
        .map(|number| json!({"title": format!("n{number}"), "body": "b", "categoryId": 1}))
        .collect();
    app.post("/api/v1/articles", json!(articles)).await.expect(201);
    for article in [303, 150] {
        let body = json!({"name": "Ann", "body": format!("on {article}")});
        app.post(&format!("/api/v1/articles/{article}/comments"), body)
            .await
            .expect(201);
    }
    let known = authentication_reads(&app).await;
    let before = app.store.read_count();
    let query = "id=1&expand=articles.comments&fields=articles.id,articles.comments.body";
    let list = app
        .get(&format!("/api/v1/categories?{query}"))
        .await
        .expect(200)
        .json();
    let statements = if app.database().is_postgres() { 3 } else { 4 };
    assert_eq!(app.store.read_count() - before - known, statements);
    let articles = list[0]["articles"].as_array().unwrap();
    assert_eq!(articles.len(), 300);
    for article in articles {
        let expected = match article["id"].as_i64().unwrap() {
            1 => json!([{"body": "first"}, {"body": "second"}]),
            4 => json!([{"body": "first"}]),
            303 => json!([{"body": "on 303"}]),
            150 => json!([{"body": "on 150"}]),
            _ => json!([]),
        };
        assert_eq!(article["comments"], expected, "{article}");
    }
}

#[tokio::test]
async fn relations_that_lead_to_too_many_rows_are_rejected() {
    let app = app_with_articles().await;
    let sql = if app.database().is_postgres() {
        "INSERT INTO comments (article_id, name, body, created_at) \
             SELECT 1, 'n', 'b', now() FROM generate_series(1, 10001)"
    } else {
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10001) \
             INSERT INTO comments (article_id, name, body, created_at) SELECT 1, 'n', 'b', 0 FROM numbers"
    };
    app.database().execute(sql);
    app.rejects("expand=comments", "too many objects of Comment")
        .await;
    assert_eq!(app.articles("expand=comments&id[gt]=1").await, [2, 3, 4, 5]);
}
