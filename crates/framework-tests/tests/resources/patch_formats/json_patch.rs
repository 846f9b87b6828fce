use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};

use super::{json_patch, served};

/// PAT-2
#[tokio::test]
async fn a_patch_changes_the_object_as_the_caller_sees_it() {
    let app = served().await;
    let patch = json!([
        {"op": "test", "path": "/title", "value": "First"},
        {"op": "replace", "path": "/title", "value": "Second"},
        {"op": "remove", "path": "/note"},
        {"op": "add", "path": "/document/b/c/-", "value": 3},
    ]);
    let patched = json_patch(&app, "/pages/1", patch).await.expect(200);
    assert_ne!(patched.header("etag"), "");
    let page = patched.json();
    assert_eq!((&page["title"], &page["note"]), (&json!("Second"), &Value::Null));
    assert_eq!(page["document"], json!({"a": 1, "b": {"c": [1, 2, 3]}}));

    let patch = json!([{"op": "replace", "path": "/card/name", "value": "Bob"}]);
    let card = json_patch(&app, "/cards/1", patch).await.expect(200).json();
    assert_eq!(card["card"]["name"], "Bob");
    // The values are checked as those of any patch.
    let patch = json!([{"op": "replace", "path": "/title", "value": ""}]);
    let errors = json_patch(&app, "/pages/1", patch).await.expect(400).json();
    assert!(errors["errors"]["title"].is_array(), "{errors}");
    let patch = json!([{"op": "remove", "path": "/title"}]);
    let errors = json_patch(&app, "/pages/1", patch).await.expect(400).json();
    assert!(errors["errors"]["title"].is_array(), "{errors}");
}

/// PAT-3
#[tokio::test]
async fn a_path_that_is_hidden_or_read_only_is_refused() {
    let app = served().await;
    let before = app.database().rows();
    for (operation, status) in [
        (json!({"op": "test", "path": "/secret", "value": "none"}), 409),
        (json!({"op": "test", "path": "/nothing", "value": "none"}), 409),
        (json!({"op": "replace", "path": "/secret", "value": "x"}), 409),
        (json!({"op": "copy", "from": "/secret", "path": "/title"}), 409),
        (json!({"op": "add", "path": "/secret", "value": "x"}), 400),
        (json!({"op": "add", "path": "/nothing", "value": "x"}), 400),
        (json!({"op": "replace", "path": "/views", "value": 7}), 400),
        (json!({"op": "replace", "path": "/id", "value": 7}), 400),
        (json!({"op": "remove", "path": "/createdAt"}), 400),
        (json!({"op": "replace", "path": "", "value": []}), 409),
    ] {
        let response = json_patch(&app, "/pages/1", json!([operation.clone()])).await;
        assert_eq!(response.status, status, "{operation}: {}", response.text());
    }
    let both = |path: &str| json!([{"op": "add", "path": path, "value": "x"}]);
    let hidden = json_patch(&app, "/pages/1", both("/secret")).await.text();
    let unknown = json_patch(&app, "/pages/1", both("/nothing")).await.text();
    assert_eq!(hidden.replace("secret", "nothing"), unknown);
    assert_eq!(app.database().rows(), before);
}

/// PAT-2
#[tokio::test]
async fn parallel_patches_lose_nothing() {
    let app = served().await;
    let client = &app.client;
    let patches = (0..40).map(|number| async move {
        let patch = json!([{"op": "add", "path": "/document/b/c/-", "value": number}]);
        json_patch(client, "/pages/1", patch).await.expect(200);
    });
    join_all(patches).await;
    let page = app.get("/pages/1").await.json();
    let mut items: Vec<i64> = page["document"]["b"]["c"]
        .as_array()
        .unwrap()
        .iter()
        .skip(2)
        .map(|item| item.as_i64().unwrap())
        .collect();
    items.sort_unstable();
    assert_eq!(items, (0..40).collect::<Vec<_>>());
}

/// PAT-2
#[tokio::test]
async fn a_handler_gets_the_changes() {
    let app = served().await;
    let patch = json!([{"op": "replace", "path": "/name", "value": "loud"}]);
    let board = json_patch(&app, "/boards/1", patch).await.expect(200).json();
    assert_eq!((&board["name"], &board["count"]), (&json!("LOUD"), &json!(1)));
}

/// PAT-2, VSN-4
#[tokio::test]
async fn preconditions_and_keys_apply() {
    let app = served().await;
    let patch = json!([{"op": "replace", "path": "/title", "value": "Second"}]);
    let old = app.client.with_header("if-match", "\"other\"");
    json_patch(&old, "/pages/1", patch.clone()).await.expect(412);
    json_patch(&app, "/pages/9", patch.clone()).await.expect(404);
    let add = json!([{"op": "add", "path": "/document/b/c/-", "value": 3}]);
    let keyed = app.client.with_header("idempotency-key", "1");
    let first = json_patch(&keyed, "/pages/1", add.clone()).await.expect(200);
    let second = json_patch(&keyed, "/pages/1", add).await.expect(200);
    assert_eq!(first.body, second.body);
    let stored = app.get("/pages/1").await.json();
    assert_eq!(stored["document"]["b"]["c"], json!([1, 2, 3]));
}

/// PAT-4
#[tokio::test]
async fn the_media_types_of_patches_are_named() {
    let app = served().await;
    let types = "application/json, application/merge-patch+json, application/json-patch+json";
    let options = app.options("/pages/1").await.expect(204);
    assert_eq!(options.header("accept-patch"), types);
    assert_eq!(app.options("/pages").await.expect(204).header("accept-patch"), "");
    let text = Some(("text/plain", "x".into()));
    let refused = app.send(Method::PATCH, "/pages/1", text).await.expect(415);
    assert_eq!(refused.header("accept-patch"), types);
    let body = Some(("application/json-patch+json", "[]".into()));
    app.send(Method::POST, "/pages", body.clone()).await.expect(415);
    app.send(Method::PUT, "/pages/1", body).await.expect(415);
}
