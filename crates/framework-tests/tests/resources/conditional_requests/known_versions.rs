//! Versions that a client has already.

use serde_json::json;

use super::{KINDS, if_none_match, served, tag};

/// VSN-5: a client that has the object gets 304.
#[tokio::test]
async fn a_known_version_is_not_sent_again() {
    let app = served().await;
    for (list, field, _) in KINDS {
        let item = format!("{list}/1");
        let first = tag(&app.post(list, json!({field: "a"})).await.expect(201));
        for known in [
            first.clone(),
            format!("W/{first}"),
            format!("\"x\", {first}"),
            "*".to_owned(),
        ] {
            let client = if_none_match(&app.client, &known);
            let unchanged = client.get(&item).await.expect(304);
            assert_eq!(tag(&unchanged), first);
            assert!(unchanged.body.is_empty());
            client.head(&item).await.expect(304);
        }
        app.patch(&item, json!({field: "b"})).await.expect(200);
        let client = if_none_match(&app.client, &first);
        assert_eq!(client.get(&item).await.expect(200).json()[field], "b");
        // What is not a tag is not known.
        if_none_match(&app.client, "a").get(&item).await.expect(200);
    }
}

/// VSN-5: a tag tells nothing about other rows, so an object that depends on them is sent.
#[tokio::test]
async fn an_object_that_depends_on_other_rows_is_sent() {
    let app = served().await;
    app.post("/tags", json!({"name": "a"})).await.expect(201);
    let first = tag(&app.get("/counted-tags/1").await.expect(200));
    app.post("/tags", json!({"name": "b"})).await.expect(201);
    let client = if_none_match(&app.client, &first);
    let counted = client.get("/counted-tags/1").await.expect(200);
    assert_eq!(tag(&counted), first);
    assert_eq!(counted.json()["tags"], 2);
}
