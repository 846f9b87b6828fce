//! Preconditions of single requests.

use futures_util::future::join_all;
use model_resource::Api;
use serde_json::{Value, json};
use test_support::startup_errors;

use super::{ContradictoryResource, KINDS, if_match, if_none_match, served, set_change, tag};

/// VSN-4: a write with the tag of another version is refused, with the current tag, and changes nothing.
#[tokio::test]
async fn a_write_with_an_old_tag_is_refused() {
    let app = served().await;
    for (list, field, _) in KINDS {
        let item = format!("{list}/1");
        let old = tag(&app.post(list, json!({field: "a"})).await.expect(201));
        let new = tag(&app.patch(&item, json!({field: "b"})).await.expect(200));
        let before = app.database().rows();
        let client = if_match(&app.client, &old);
        for response in [
            client.get(&item).await,
            client.patch(&item, json!({field: "c"})).await,
            client.put(&item, json!({field: "c"})).await,
            client.delete(&item).await,
        ] {
            let refused = response.expect(412);
            assert_eq!(tag(&refused), new);
            assert!(refused.text().contains("If-Match"), "{}", refused.text());
        }
        // A weak tag may stand for several versions.
        for other in [format!("W/{new}"), "\"\"".to_owned()] {
            let client = if_match(&app.client, &other);
            client.patch(&item, json!({field: "c"})).await.expect(412);
        }
        assert_eq!(app.database().rows(), before);

        let several = format!("{old}, {new}");
        let client = if_match(&app.client, &several);
        let patched = client.patch(&item, json!({field: "c"})).await.expect(200);
        let client = if_match(&app.client, &tag(&patched));
        let replaced = client.put(&item, json!({field: "d"})).await.expect(200);
        client.delete(&item).await.expect(412);
        if_match(&app.client, &tag(&replaced))
            .delete(&item)
            .await
            .expect(204);
    }
}

/// VSN-4: `*` is every version, and a header that cannot be read prevents the write.
#[tokio::test]
async fn any_version_and_invalid_tags() {
    let app = served().await;
    let created = app.post("/tags", json!({"name": "a"})).await.expect(201);
    if_match(&app.client, "*")
        .patch("/tags/1", json!({"name": "b"}))
        .await
        .expect(200);
    if_none_match(&app.client, "*")
        .patch("/tags/1", json!({"name": "c"}))
        .await
        .expect(412);
    let exists = if_none_match(&app.client, "*").get("/tags/1").await;
    exists.expect(304);
    let refused = if_none_match(&app.client, "*")
        .delete("/tags/1")
        .await
        .expect(412);
    assert!(refused.text().contains("has this version"), "{}", refused.text());
    if_none_match(&app.client, "*")
        .delete("/tags/1")
        .await
        .expect(412);
    if_none_match(&app.client, &tag(&created))
        .patch("/tags/1", json!({"name": "c"}))
        .await
        .expect(200);
    let before = app.database().rows();
    for invalid in ["1", "\"a", "W/1", "*, \"a\""] {
        for client in [
            if_match(&app.client, invalid),
            if_none_match(&app.client, invalid),
        ] {
            let rejected = client.patch("/tags/1", json!({"name": "d"})).await.expect(400);
            assert!(rejected.text().contains("ETag"), "{}", rejected.text());
            client.delete("/tags/1").await.expect(400);
        }
        if_match(&app.client, invalid).get("/tags/1").await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
    // Deleted, it has no version.
    if_match(&app.client, "*").delete("/tags/1").await.expect(204);
    if_match(&app.client, "*").delete("/tags/1").await.expect(404);
}

/// VSN-4: of all requests that start from one version, one succeeds.
#[tokio::test]
async fn one_of_many_writes_of_a_version_succeeds() {
    let app = served().await;
    for (list, field, _) in KINDS {
        let item = format!("{list}/1");
        let mut current = tag(&app.post(list, json!({field: "a"})).await.expect(201));
        for round in 0..5 {
            let client = if_match(&app.client, &current);
            let writes =
                (0..100).map(|number| client.patch(&item, json!({field: format!("{round} {number}")})));
            let writes = writes.collect::<Vec<_>>();
            let responses = join_all(writes).await;
            let won: Vec<_> = responses
                .iter()
                .filter(|response| response.status == 200)
                .collect();
            assert_eq!(won.len(), 1, "{list}");
            assert!(
                responses
                    .iter()
                    .all(|response| response.status == 200 || response.status == 412)
            );
            current = tag(won[0]);
            let object: Value = app.get(&item).await.expect(200).json();
            assert_eq!(object[field], won[0].json()[field]);
        }
    }
}

/// VSN-9
#[tokio::test]
async fn the_time_of_the_last_change_is_a_precondition() {
    let app = served().await;
    app.post("/notes", json!({"text": "a"})).await.expect(201);
    set_change(&app).await;
    let since = |date: &str| app.client.with_header("if-unmodified-since", date);
    let before = app.database().rows();
    for response in [
        since("Sun, 09 Sep 2001 01:46:39 GMT")
            .patch("/notes/1", json!({"text": "b"}))
            .await,
        since("Sun, 09 Sep 2001 01:46:39 GMT")
            .put("/notes/1", json!({"text": "b"}))
            .await,
        since("Thu, 01 Jan 1970 00:00:00 GMT").delete("/notes/1").await,
    ] {
        tag(&response.expect(412));
    }
    assert_eq!(app.database().rows(), before);
    // Beside a tag, and without a date, it is ignored.
    let client = since("Thu, 01 Jan 1970 00:00:00 GMT").with_header("if-match", "*");
    client.get("/notes/1").await.expect(200);
    since("yesterday")
        .patch("/notes/1", json!({"text": "a"}))
        .await
        .expect(200);
    since("Sun, 09 Sep 2001 01:46:40 GMT")
        .patch("/notes/1", json!({"text": "b"}))
        .await
        .expect(200);
    since("Sun, 09 Sep 2001 01:46:40 GMT")
        .patch("/notes/1", json!({"text": "c"}))
        .await
        .expect(412);
    client.delete("/notes/1").await.expect(204);
    // These have no such time.
    app.post("/tags", json!({"name": "a"})).await.expect(201);
    since("Thu, 01 Jan 1970 00:00:00 GMT")
        .delete("/tags/1")
        .await
        .expect(204);
}

/// VSN-8
#[tokio::test]
async fn a_resource_can_require_the_version() {
    let app = served().await;
    let created = app.post("/guarded-tags", json!({"name": "a"})).await.expect(201);
    let item = "/guarded-tags/1";
    let before = app.database().rows();
    for client in [app.client.clone(), if_none_match(&app.client, "\"x\"")] {
        for response in [
            client.patch(item, json!({"name": "b"})).await,
            client.put(item, json!({"name": "b"})).await,
            client.delete(item).await,
        ] {
            let required = response.expect(428);
            assert!(required.text().contains("If-Match"), "{}", required.text());
        }
    }
    assert_eq!(app.database().rows(), before);
    app.get(item).await.expect(200);
    let client = if_match(&app.client, &tag(&created));
    let patched = client.patch(item, json!({"name": "b"})).await.expect(200);
    if_match(&app.client, &tag(&patched))
        .delete(item)
        .await
        .expect(204);
    let mistakes = startup_errors(Api::new("tags").model_resource::<ContradictoryResource>()).await;
    assert_eq!(mistakes.len(), 1);
    assert!(mistakes[0].contains("REQUIRE_IF_MATCH"), "{mistakes:?}");
}
