use futures_util::future::join_all;
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

/// PAT-5: each of the patches of one document adds and removes its own members, and keeps those of the others.
#[tokio::test]
async fn parallel_merge_patches_lose_nothing() {
    let app = served().await;
    let old: Value = (0..40)
        .map(|number| (format!("old{number}"), json!(number)))
        .collect();
    app.patch("/pages/1", json!({"document": {"members": old, "kept": true}}))
        .await
        .expect(200);
    let client = &app.client;
    let patches = (0..40).map(|number| async move {
        let members = json!({format!("old{number}"): null, format!("new{number}"): number});
        let patch = json!({"document": {"members": members}});
        let merged = merge_patch(client, "/pages/1", patch).await.expect(200).json();
        let members = &merged["document"]["members"];
        assert_eq!(members[format!("new{number}")], number, "{merged}");
        assert_eq!(members.get(format!("old{number}")), None, "{merged}");
    });
    join_all(patches).await;
    let new: Value = (0..40)
        .map(|number| (format!("new{number}"), json!(number)))
        .collect();
    let page = app.get("/pages/1").await.expect(200).json();
    assert_eq!(page["document"], json!({"members": new, "kept": true}));
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
