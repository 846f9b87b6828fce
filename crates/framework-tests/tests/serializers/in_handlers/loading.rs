//! Loading of bodies and values in handlers.

use serde_json::{Value, json};

use super::app;

/// HLP-8: a body is loaded by the create serializer, with its extra fields, the caller's presets and all errors.
#[tokio::test]
async fn a_body_is_loaded_as_the_loaders_load_it() {
    let app = app().await;
    let caller = app.as_caller("5");
    let sent = json!({"title": "Second", "authorId": 1, "dozens": 2});
    let created = caller.post("/loaded", sent).await.expect(201).json();
    assert_eq!((&created["copies"], &created["ownerId"]), (&json!(24), &json!(5)));

    let before = app.database().rows();
    let wrong = json!({"title": "x", "authorId": "one", "ownerId": 6, "price": 1, "nope": 1});
    let refused = caller.post("/loaded", wrong).await.expect(400).json();
    let members: Vec<&String> = refused["errors"].as_object().unwrap().keys().collect();
    assert_eq!(members, ["title", "authorId", "ownerId", "price", "nope"]);
    let absent = json!({"title": "Third", "authorId": 99});
    let refused = caller.post("/loaded", absent).await.expect(400).json();
    assert!(refused["errors"]["authorId"].is_array(), "{refused}");
    app.post("/loaded", json!({"title": "Third", "authorId": 1}))
        .await
        .expect(401);
    caller
        .send(
            http::Method::POST,
            "/loaded",
            Some(("application/json", "{".into())),
        )
        .await
        .expect(400);
    caller
        .send(http::Method::POST, "/loaded", Some(("text/plain", "{}".into())))
        .await
        .expect(415);
    assert_eq!(app.database().rows(), before);
}

/// HLP-8: a JSON value is loaded with the same policies, and validated as a whole.
#[tokio::test]
async fn a_json_value_is_loaded_as_a_body_is() {
    let app = app().await;
    let caller = app.as_caller("5");
    let checked = |book: Value| {
        let caller = caller.clone();
        async move { caller.post("/checked", json!({ "book": book })).await }
    };
    let shown = checked(json!({"title": "Second", "authorId": 1}))
        .await
        .expect(200)
        .json();
    assert_eq!((&shown["id"], &shown["copies"]), (&Value::Null, &json!(1)));
    assert_eq!(
        (&shown["author"]["name"], shown.get("label")),
        (&json!("Ann"), None)
    );
    let refused = checked(json!({"title": "Untitled", "authorId": 1})).await;
    refused.expect_json(400, json!({"errors": {"title": ["Choose a title."]}}));
    checked(json!([])).await.expect(400);
    let refused = checked(json!({"authorId": 1})).await;
    refused.expect_json(400, json!({"errors": {"title": ["Title is required."]}}));
}

/// HLP-8: loading into a saved object changes it, except for columns that the caller cannot set.
#[tokio::test]
async fn loading_into_a_saved_object_keeps_columns_that_the_caller_cannot_set() {
    let app = app().await;
    let caller = app.as_caller("5");
    let changed = caller
        .patch("/labels/1", json!({"title": "Label"}))
        .await
        .expect(200);
    assert_eq!(changed.json()["title"], "Label");
    let before = app.database().rows();
    let refused = caller.patch("/labels/1", json!({"title": "Far too long"})).await;
    refused.expect_json(400, json!({"errors": {"title": ["Too long for a label."]}}));
    let refused = caller.patch("/labels/1", json!({"copies": 3})).await;
    refused.expect_json(400, json!({"errors": {"copies": ["Unknown field."]}}));
    let refused = caller.post("/raised/1", json!({})).await;
    refused.expect_json(400, json!({"errors": {"price": ["Unknown field."]}}));
    assert_eq!(app.database().rows(), before);
    let raised = app
        .as_caller("7 staff")
        .post("/raised/1", json!({}))
        .await
        .expect(200)
        .json();
    assert_eq!((&raised["copies"], &raised["price"]), (&json!(13), &json!(5)));
}
