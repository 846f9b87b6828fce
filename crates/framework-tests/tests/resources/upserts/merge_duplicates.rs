//! POST of an object that exists, with `Prefer: resolution=merge-duplicates`.

use model_resource::{ApiHandle, Change, Result};
use serde_json::json;
use test_support::TestApp;

use super::{Heard, Stock, api, guarded_shop, shop};

const MERGE: &str = "resolution=merge-duplicates";

/// UPS-6: a new object with the unique values of another changes that one, if the client prefers it.
#[tokio::test]
async fn a_duplicate_is_merged_if_the_client_prefers_it() {
    let app = shop().await;
    let merging = app.with_header("prefer", MERGE);
    let created = merging
        .post("/stocks", json!({"branch": "a", "isbn": "1", "count": 3}))
        .await;
    let created = created.expect(201);
    assert_eq!(created.header("preference-applied"), MERGE);
    let url = created.header("location").to_owned();
    let merged = merging
        .post("/stocks", json!({"branch": "a", "isbn": "1", "ownerId": 7}))
        .await;
    let merged = merged.expect(200);
    assert_eq!(merged.header("preference-applied"), MERGE);
    let stored = app.get(&url).await.expect(200);
    assert_eq!(merged.json(), stored.json());
    assert_eq!(merged.header("etag"), stored.header("etag"));
    assert_eq!(stored.json()["count"], 3);
    assert_eq!(stored.json()["ownerId"], 7);
    merging
        .post("/stocks", json!({"branch": "a", "isbn": "1", "count": -1}))
        .await
        .expect(400);
    merging.post("/stocks", json!({"branch": "a"})).await.expect(400);
    let other = json!({"branch": "a", "isbn": "2", "count": 1});
    merging.post("/stocks", other.clone()).await.expect(201);
    let plain = app.post("/stocks", other.clone()).await.expect(400);
    assert!(!plain.headers.contains_key("preference-applied"));
    // Among several objects, each is created.
    merging.post("/stocks", json!([other])).await.expect(400);
    assert_eq!(app.database().value::<u32>("SELECT COUNT(*) FROM stocks"), 2);
    let minimal = app.with_header("prefer", "return=minimal, resolution=merge-duplicates");
    minimal
        .post("/stocks", json!({"branch": "a", "isbn": "2", "count": 2}))
        .await
        .expect(204);
}

/// UPS-7: a merge needs what create and patch need, and an object that the caller cannot see is neither changed nor
/// shown.
#[tokio::test]
async fn a_merge_obeys_the_policies_of_both_operations() {
    let app = guarded_shop().await;
    app.database().execute(
        "INSERT INTO stocks (branch, isbn, count, owner_id) VALUES ('a', 'shared', 1, 0), ('a', 'other', 2, 2)",
    );
    let before = app.database().rows();
    let stock = |isbn: &str, count: i64| json!({"branch": "a", "isbn": isbn, "count": count});
    let one = app.as_caller("1");
    let merging = one.with_header("prefer", MERGE);
    merging.post("/stocks", stock("shared", 5)).await.expect(403);
    let taken = one.post("/stocks", stock("other", 5)).await.expect(400).json();
    merging
        .post("/stocks", stock("other", 5))
        .await
        .expect_json(400, taken);
    let reader = app.as_caller("1 reader").with_header("prefer", MERGE);
    reader.post("/stocks", stock("new", 5)).await.expect(403);
    merging.post("/stocks", stock("new", 1000)).await.expect(403);
    assert_eq!(app.database().rows(), before);
    merging.post("/stocks", stock("new", 5)).await.expect(201);
    merging.post("/stocks", stock("new", 1000)).await.expect(403);
    let merged = merging.post("/stocks", stock("new", 6)).await.expect(200).json();
    assert_eq!((&merged["count"], &merged["ownerId"]), (&json!(6), &json!(1)));
    let count = app
        .database()
        .value::<i64>("SELECT count FROM stocks WHERE isbn = 'other'");
    assert_eq!(count, 2);
}

/// UPS-8: of concurrent requests with the same unique values, one creates the object and the others change it.
#[tokio::test]
async fn concurrent_merges_create_one_object() {
    let app = shop().await;
    let merging = app.with_header("prefer", MERGE);
    for round in 0..5 {
        let tasks: Vec<_> = (0..8)
            .map(|count| {
                let client = merging.clone();
                tokio::spawn(async move {
                    let stock = json!({"branch": "a", "isbn": format!("{round}"), "count": count});
                    client.post("/stocks", stock).await.status.as_u16()
                })
            })
            .collect();
        let mut statuses = Vec::new();
        for task in tasks {
            statuses.push(task.await.unwrap());
        }
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
    }
    assert_eq!(app.database().value::<u32>("SELECT COUNT(*) FROM stocks"), 5);
}

/// UPS-5: repeated requests, dry runs and events of merges.
#[tokio::test]
async fn merges_can_be_repeated_and_tried() {
    let heard = Heard::default();
    let subscriber = heard.clone();
    let subscriber = move |_: ApiHandle, change: Change<Stock>| {
        subscriber.add(&change);
        async { Result::Ok(()) }
    };
    let app = TestApp::with_api(api().after_change(subscriber)).await;
    let stock = |count: i64| json!({"branch": "a", "isbn": "1", "count": count});
    let dry = app.with_header("prefer", "dry-run, resolution=merge-duplicates");
    dry.post("/stocks", stock(1)).await.expect(201);
    app.with_header("prefer", MERGE)
        .post("/stocks", stock(1))
        .await
        .expect(201);
    dry.post("/stocks", stock(2)).await.expect(200);
    heard.take().await;
    let keyed = app
        .with_header("prefer", MERGE)
        .with_header("idempotency-key", "\"merge-of-a-stock\"");
    let merged = keyed.post("/stocks", stock(3)).await.expect(200).json();
    assert_eq!(merged["count"], 3);
    app.patch(&format!("/stocks/{}", merged["id"]), json!({"count": 4}))
        .await
        .expect(200);
    let repeated = keyed.post("/stocks", stock(3)).await.expect(200).json();
    assert_eq!(repeated["count"], 3);
    assert_eq!(heard.take().await, ["updated", "updated"]);
    assert_eq!(app.database().value::<i64>("SELECT count FROM stocks"), 4);
    let keyed = app
        .with_header("prefer", MERGE)
        .with_header("idempotency-key", "\"creation-of-a-stock\"");
    let other = json!({"branch": "a", "isbn": "2"});
    keyed.post("/stocks", other.clone()).await.expect(201);
    keyed.post("/stocks", other).await.expect(201);
}
