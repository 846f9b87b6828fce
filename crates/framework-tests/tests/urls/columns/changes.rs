//! Writes that change the column of the URL.

use http::Method;
use serde_json::json;

use super::{app, country};

/// URL-12: a body may change the column in the URL; the old URL is then a 404.
#[tokio::test]
async fn a_body_may_change_the_unique_value() {
    let app = app().await;
    app.patch("/countries/ch", json!({"code": "cch"}))
        .await
        .expect_json(200, country(1, "cch", "Switzerland"));
    app.get("/countries/ch").await.expect(404);
    app.put("/countries/cch", json!({"code": "ch", "name": "CH"}))
        .await
        .expect_json(200, country(1, "ch", "CH"));
    let before = app.database().rows();
    app.patch("/countries/ch", json!({"code": "2"}))
        .await
        .expect_json(400, json!({"errors": {"code": ["Code is already taken."]}}));
    app.patch("/countries/ch", json!({"id": 2})).await.expect(400);
    assert_eq!(app.database().rows(), before);
}

/// URL-12: a foreign key in the URL cannot be changed.
#[tokio::test]
async fn a_body_does_not_contradict_a_foreign_key_in_the_url() {
    let app = app().await;
    for number in [7, 8, 9] {
        let person = json!({"number": number, "name": format!("P{number}")});
        app.post("/persons", person).await.expect(201);
    }
    for (id, person) in [(1, 9), (2, 8)] {
        let made = app
            .post("/profiles", json!({"personId": person, "bio": "b"}))
            .await
            .expect(201);
        assert_eq!(made.json()["id"], id);
        assert_eq!(made.header("location"), format!("/profiles/{person}"));
    }
    let before = app.database().rows();
    for method in [Method::PATCH, Method::PUT] {
        let body = json!({"personId": 7, "bio": "b"});
        app.send_json(method, "/profiles/9", body)
            .await
            .expect_json(400, json!({"errors": {"personId": ["Does not match the URL."]}}));
    }
    app.get("/profiles/1").await.expect(404);
    app.patch("/profiles/2", json!({"bio": "x"})).await.expect(404);
    assert_eq!(app.database().rows(), before);
    app.patch("/profiles/9", json!({"personId": 9, "bio": "mine"}))
        .await
        .expect_json(200, json!({"id": 1, "personId": 9, "bio": "mine"}));
    app.put("/profiles/8", json!({"bio": "other"}))
        .await
        .expect_json(200, json!({"id": 2, "personId": 8, "bio": "other"}));
}

/// URL-12: a row whose column changes between the read and the write is not written.
#[tokio::test]
async fn a_row_is_written_only_while_the_url_identifies_it() {
    let app = app().await;
    app.put("/renamed/ch", json!({"code": "ch", "name": "no"}))
        .await
        .expect(404);
    app.get("/countries/ch-old")
        .await
        .expect_json(200, country(1, "ch-old", "Switzerland"));
    app.delete("/renamed/2").await.expect(404);
    app.get("/countries/2-old")
        .await
        .expect_json(200, country(2, "2-old", "Two"));
}
