//! Tags of row versions.

use model_resource::{Sql, SqlDialect};
use serde_json::json;

use super::{KINDS, served, tag};

/// VSN-1, VSN-2: every change of a row has another tag, whatever its version is.
#[tokio::test]
async fn a_tag_names_the_version_of_a_row() {
    let app = served().await;
    for (list, field, _) in KINDS {
        let item = format!("{list}/1");
        let created = app.post(list, json!({field: "a"})).await.expect(201);
        let first = tag(&created);
        assert_eq!(tag(&app.get(&item).await.expect(200)), first);
        assert_eq!(tag(&app.head(&item).await.expect(200)), first);
        assert_eq!(
            tag(&app.get(&format!("{item}?fields=id")).await.expect(200)),
            first
        );
        // The same value again is no change.
        assert_eq!(
            tag(&app.patch(&item, json!({field: "a"})).await.expect(200)),
            first
        );
        let mut seen = vec![first];
        for text in ["b", "c", "b"] {
            let patched = tag(&app.patch(&item, json!({field: text})).await.expect(200));
            assert_eq!(tag(&app.get(&item).await.expect(200)), patched);
            seen.push(patched);
        }
        let replaced = tag(&app.put(&item, json!({field: "d"})).await.expect(200));
        seen.push(replaced);
        seen.dedup();
        assert_eq!(seen.len(), 5, "{list}");
        // Another row with the same values has another tag.
        let other = app.post(list, json!({field: "d"})).await.expect(201);
        assert!(!seen.contains(&tag(&other)));
    }
}

/// VSN-2: the framework counts the versions, and ignores a number that a client sends.
#[tokio::test]
async fn the_framework_counts_versions() {
    let app = served().await;
    let created = app
        .post("/accounts", json!({"name": "a", "version": 7}))
        .await
        .expect(201);
    assert_eq!(created.json()["version"], 1);
    for (body, version) in [
        (json!({"name": "b"}), 2),
        (json!({"name": "b"}), 2),
        (json!({"name": "c", "version": 9}), 3),
    ] {
        let patched = app.patch("/accounts/1", body).await.expect(200);
        assert_eq!(patched.json()["version"], version);
    }
    let replaced = app
        .put("/accounts/1", json!({"name": "c", "balance": 5}))
        .await
        .expect(200);
    assert_eq!(replaced.json()["version"], 4);
}

/// VSN-2: the time of change grows with each change, even if the clock goes back.
#[tokio::test]
async fn the_time_of_change_always_grows() {
    let app = served().await;
    app.post("/notes", json!({"text": "a"})).await.expect(201);
    // The last change came from a clock that is ahead by years.
    let future = match app.store.dialect() {
        SqlDialect::Sqlite => "4000000000000000",
        SqlDialect::Postgres => "to_timestamp(4000000000)",
    };
    let sql = format!("UPDATE notes SET updated_at = {future} WHERE id = 1");
    app.store.execute(Sql::new(sql)).await.unwrap();
    let before = app.get("/notes/1").await.expect(200);
    let after = app.patch("/notes/1", json!({"text": "b"})).await.expect(200);
    assert_ne!(tag(&before), tag(&after));
    let (before, after) = (before.json(), after.json());
    assert_eq!(before["updatedAt"], "2096-10-02T07:06:40Z");
    assert_eq!(after["updatedAt"], "2096-10-02T07:06:40.000001Z");
}
