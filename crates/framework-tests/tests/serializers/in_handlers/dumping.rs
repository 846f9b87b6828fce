//! Dumping of instances, drafts and lists in handlers.

use serde_json::json;

use super::app;

/// HLP-7: the chosen serializer dumps an instance, a draft and many rows, and a handler can choose each serializer.
#[tokio::test]
async fn each_serializer_dumps_instances_drafts_and_lists() {
    let app = app().await;
    let author = json!({"id": 1, "name": "Ann"});
    let one = json!({
        "id": 1, "title": "First", "authorId": 1, "copies": 12, "price": 9, "ownerId": 7, "author": author,
        "label": "First (12)"
    });
    let mut draft = one.clone();
    draft["title"] = json!("Changed");
    draft["label"] = json!("Changed (12)");
    let staff = app.as_caller("7 staff").get("/dumped").await.expect(200).json();
    assert_eq!(staff["one"], one);
    assert_eq!(staff["draft"], draft);
    let new = json!({"id": null, "title": "New", "authorId": null, "price": null, "ownerId": 0});
    assert_eq!(staff["new"], new);
    let item = json!({"id": 1, "title": "First"});
    assert_eq!(staff["many"], json!({"books": [item, item]}));
    assert_eq!(staff["none"], json!({"books": []}));
    assert_eq!(staff["label"], json!({"title": "First"}));
}

/// HLP-7: dumping includes only what the caller may see.
#[tokio::test]
async fn dumping_omits_what_the_caller_cannot_see() {
    let app = app().await;
    let seen = app.get("/dumped").await.expect(200).json();
    for member in ["one", "draft", "new"] {
        let members = seen[member].as_object().unwrap();
        assert!(!members.contains_key("price"), "{member}");
        assert!(members.contains_key("title"), "{member}");
    }
}

/// HLP-9: `created_unsaved` returns any serializable data, and dumps an instance with its serializer.
#[tokio::test]
async fn created_unsaved_takes_any_serializable_data() {
    let app = app().await;
    let before = app.database().rows();
    app.post("/receipts", json!({}))
        .await
        .expect_json(201, json!({"total": 7}));
    app.post("/values", json!({}))
        .await
        .expect_json(201, json!({"total": 8}));
    let shown = app
        .as_caller("5")
        .post("/shown", json!({"title": "Seen", "authorId": 1}))
        .await;
    let shown = shown.expect(201);
    assert_eq!(shown.header("location"), "/shown/9");
    let body = shown.json();
    assert_eq!(
        (&body["author"]["name"], body.get("price")),
        (&json!("Ann"), None)
    );
    assert_eq!(app.database().rows(), before);
}
