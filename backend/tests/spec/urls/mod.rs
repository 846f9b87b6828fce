//! URLs of the reference application.

mod parents;

use serde_json::json;

use crate::support::BackendApp;

/// URL-2: `<int:name>` matches digits only; a sign, a letter or a number out of range is a 404.
#[tokio::test]
async fn an_int_parameter_matches_digits_in_the_range_of_the_key() {
    let app = BackendApp::start().await;
    app.post("/api/v1/tags", json!({"tag": {"name": "rust"}}))
        .await
        .expect(201);
    for odd in [
        "-1",
        "+1",
        "1a",
        "0x1",
        "1.0",
        "1e0",
        "%201",
        "1%00",
        "9223372036854775808",
        "99999999999999999999999",
        "%EF%BC%91",
    ] {
        let path = format!("/api/v1/tags/{odd}");
        app.get(&path).await.expect(404);
        app.patch(&path, json!({"tag": {"name": "no"}})).await.expect(404);
        app.delete(&path).await.expect(404);
    }
    app.get("/api/v1/tags/9223372036854775807").await.expect(404);
    app.get("/api/v1/tags/1")
        .await
        .expect_json(200, json!({"tag": {"id": 1, "name": "rust"}}));
}

/// URL-3: a row whose key is a UUID is found by it.
#[tokio::test]
async fn a_row_is_found_by_its_uuid() {
    let app = BackendApp::start().await;
    app.get("/api/v1/samples/0190163d-8694-739b-aea5-966c26f8ad91")
        .await
        .expect(404);
    app.get("/api/v1/samples/1").await.expect(404);
    let sample = json!({
        "flag": true, "small": 1, "number": 2, "big": 3, "single": 0.5, "ratio": 0.25, "text": "t", "blob": "AA==",
        "amount": "1.5", "day": "2024-02-29", "clock": "12:00:00", "moment": "2024-02-29T12:00:00Z",
        "token": "0190163d-8694-739b-aea5-966c26f8ad91", "extra": {}, "color": "red",
    });
    let made = app.post("/api/v1/samples", sample).await.expect(201);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(made.header("location"), format!("/api/v1/samples/{id}"));
    app.get(made.header("location"))
        .await
        .expect_json(200, made.json());
}

/// URL-4: a trailing slash makes no difference, for every operation.
#[tokio::test]
async fn a_trailing_slash_makes_no_difference() {
    let app = BackendApp::start().await;
    let made = app
        .post("/api/v1/tags/", json!({"tag": {"name": "rust"}}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/api/v1/tags/1");
    for path in [
        "/api/v1/tags",
        "/api/v1/tags/1",
        "/api/v1/tags/2",
        "/api/v1/nothing",
    ] {
        let (plain, slash) = (app.get(path).await, app.get(&format!("{path}/")).await);
        assert_eq!((plain.status, &plain.body), (slash.status, &slash.body), "{path}");
        assert_eq!(plain.header("content-type"), slash.header("content-type"));
    }
    app.put("/api/v1/tags/1/", json!({"tag": {"name": "put"}}))
        .await
        .expect_json(200, json!({"tag": {"id": 1, "name": "put"}}));
    app.patch("/api/v1/tags/1/", json!({"tag": {"name": "patch"}}))
        .await
        .expect_json(200, json!({"tag": {"id": 1, "name": "patch"}}));
    app.get("/api/v1/tags/1//").await.expect(404);
    app.delete("/api/v1/tags/1/").await.expect(204);
    app.get("/api/v1/tags/1").await.expect(404);
}
