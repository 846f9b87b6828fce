use serde_json::{Value, json};

use super::{merge_patch, served};

/// PAT-5
#[tokio::test]
async fn a_merge_patch_merges_documents_and_is_otherwise_as_json() {
    let app = served().await;
    let patch = json!({"title": "Second", "note": null, "document": {"a": null, "b": {"d": 4}}});
    let page = merge_patch(&app, "/pages/1", patch).await.expect(200).json();
    assert_eq!((&page["title"], &page["note"]), (&json!("Second"), &Value::Null));
    assert_eq!(page["document"], json!({"b": {"c": [1, 2], "d": 4}}));
    // Plain JSON replaces the document, and null is a value of it.
    let patch = json!({"document": {"a": null}});
    let page = app.patch("/pages/1", patch).await.expect(200).json();
    assert_eq!(page["document"], json!({"a": null}));
    let page = merge_patch(&app, "/pages/1", json!({"document": [1]}))
        .await
        .expect(200)
        .json();
    assert_eq!(page["document"], json!([1]));

    let patch = json!({"card": {"data": {"a": null}}});
    let card = merge_patch(&app, "/cards/1", patch).await.expect(200).json();
    assert_eq!(card["card"]["data"], json!({"b": 2}));
}

/// PAT-5
#[tokio::test]
async fn an_invalid_merge_patch_is_rejected() {
    let app = served().await;
    let before = app.database().rows();
    for patch in [json!({"title": ""}), json!({"nothing": 1}), json!([]), json!("x")] {
        merge_patch(&app, "/pages/1", patch).await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
}
