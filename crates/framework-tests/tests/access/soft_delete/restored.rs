//! Restoration of deleted rows.

use serde_json::json;

use super::{Callers, counts, listed, shop};

/// SDL-11: a restored row exists again, as a new version.
#[tokio::test]
async fn a_deleted_row_is_restored() {
    let (app, Callers { member, desk, .. }) = shop().await;
    member.delete("/books/1").await.expect(204);
    let deleted = desk.get("/books/1").await.expect(200);
    let restored = desk.post("/books/1/restore", json!({})).await.expect(200);
    assert_eq!(restored.json()["deletedAt"], json!(null));
    assert_eq!(restored.json()["version"], 3);
    assert_ne!(restored.header("etag"), deleted.header("etag"));
    assert_eq!(
        restored.header("etag"),
        member.get("/books/1").await.expect(200).header("etag")
    );
    assert_eq!(listed(&member, "/books").await, [1, 2, 3]);
    assert_eq!(counts(&app, "books"), (3, 0));
    // Below a parent, and without a body.
    member.delete("/books/2").await.expect(204);
    desk.post("/authors/2/books/2/restore", json!({}))
        .await
        .expect(404);
    desk.send(http::Method::POST, "/authors/1/books/2/restore", None)
        .await
        .expect(200);
    assert_eq!(counts(&app, "books"), (3, 0));
}

/// SDL-12: only callers who see the deleted row and may update it restore it.
#[tokio::test]
async fn a_restoration_needs_the_permission_to_see_and_to_update() {
    let (app, Callers { member, desk, clerk }) = shop().await;
    member.delete("/books/1").await.expect(204);
    app.database()
        .execute("UPDATE books SET is_locked = TRUE WHERE id = 1");
    let before = app.database().rows();
    app.post("/books/1/restore", json!({})).await.expect(404);
    member.post("/books/1/restore", json!({})).await.expect(404);
    clerk.post("/books/1/restore", json!({})).await.expect(403);
    desk.post("/books/1/restore", json!({})).await.expect(403);
    desk.post("/books/9/restore", json!({})).await.expect(404);
    desk.post("/books/3/restore", json!({})).await.expect(409);
    member.post("/books/3/restore", json!({})).await.expect(404);
    desk.get("/books/1/restore").await.expect(405);
    desk.post("/authors/1/restore", json!({})).await.expect(404);
    assert_eq!(app.database().rows(), before);
}

/// SDL-13: preconditions and dry runs apply, and a constraint that rows fulfil only without the restored one is reported.
#[tokio::test]
async fn a_restoration_is_checked_like_an_update() {
    let (app, Callers { member, desk, .. }) = shop().await;
    member.delete("/books/1").await.expect(204);
    let again = json!({"title": "One", "isbn": "i1"});
    let other = member.post("/books", again).await.expect(201).json();
    let before = app.database().rows();
    let refused = desk.post("/books/1/restore", json!({})).await.expect(400).json();
    assert!(refused["errors"]["isbn"].is_array(), "{refused}");
    let stale = desk.with_header("if-match", "\"1-other\"");
    stale.post("/books/1/restore", json!({})).await.expect(412);
    assert_eq!(app.database().rows(), before);
    member
        .delete(&format!("/books/{}", other["id"]))
        .await
        .expect(204);
    let dry = desk.with_header("prefer", "dry-run");
    dry.post("/books/1/restore", json!({})).await.expect(200);
    assert_eq!(counts(&app, "books"), (4, 2));
    let tag = desk.get("/books/1").await;
    let current = desk.with_header("if-match", tag.header("etag"));
    current.post("/books/1/restore", json!({})).await.expect(200);
    assert_eq!(counts(&app, "books"), (4, 1));
}
