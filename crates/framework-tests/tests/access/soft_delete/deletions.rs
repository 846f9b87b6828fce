//! Requests that delete rows softly.

use serde_json::json;

use super::{Callers, counts, ids, listed, shop};

/// SDL-1: a deletion sets the column, and the row stays in the table.
#[tokio::test]
async fn a_deletion_sets_the_column_and_keeps_the_row() {
    let (app, Callers { member, .. }) = shop().await;
    member.delete("/books/1").await.expect(204);
    assert_eq!(counts(&app, "books"), (3, 1));
    member.delete("/books/1").await.expect(404);
    let shown = member.with_header("prefer", "return=representation");
    let deleted = shown.delete("/books/2").await.expect(200).json();
    assert_eq!(deleted["title"], "Two");
    assert!(deleted["deletedAt"].is_string(), "{deleted}");
    assert_eq!(counts(&app, "books"), (3, 2));
    // By a unique column, and of a model without a policy.
    app.delete("/labels/red").await.expect(204);
    app.delete("/labels/red").await.expect(404);
    assert_eq!(counts(&app, "labels"), (2, 1));
}

/// SDL-1: bulk requests, filters and nested URLs.
#[tokio::test]
async fn several_objects_are_deleted_softly() {
    let (app, Callers { member, .. }) = shop().await;
    member.delete("/books?id=1&id=9").await.expect(404);
    assert_eq!(counts(&app, "books"), (3, 0));
    member.delete("/books?id=1").await.expect(204);
    member.delete("/books?id=1&id=2").await.expect(404);
    assert_eq!(counts(&app, "books"), (3, 1));
    let five = member.with_header("prefer", "max-affected=5, return=representation");
    let deleted = five.delete("/books?title[startswith]=T").await;
    assert_eq!(ids(&deleted.expect(200).json()), [2, 3]);
    assert_eq!(counts(&app, "books"), (3, 3));
    let none = five.delete("/books?title[startswith]=T").await;
    none.expect_json(200, json!([]));
}

/// SDL-1: `remove` and replaced lists of nested writes.
#[tokio::test]
async fn related_objects_are_deleted_softly() {
    let (app, Callers { member, .. }) = shop().await;
    let removal = json!({"parts": {"remove": [1]}});
    let reply = member.patch("/books/1?expand=parts", removal.clone()).await;
    assert_eq!(ids(&reply.expect(200).json()["parts"]), [2]);
    assert_eq!(counts(&app, "parts"), (3, 1));
    member.patch("/books/1", removal).await.expect(400);
    let replaced = json!({"parts": [{"name": "new"}]});
    let reply = member.patch("/books/1", replaced).await.expect(200).json();
    assert_eq!(reply["parts"].as_array().unwrap().len(), 1);
    assert_eq!(counts(&app, "parts"), (4, 2));
    // A list may not bring a deleted row back.
    let returned = json!({"parts": [{"id": 1, "name": "back"}]});
    member.patch("/books/1", returned).await.expect(400);
    let update = json!({"parts": {"update": [{"id": 1, "name": "back"}]}});
    member.patch("/books/1", update).await.expect(400);
    assert_eq!(counts(&app, "parts"), (4, 2));
}

/// SDL-1: handlers delete softly, and the store itself from the table.
#[tokio::test]
async fn handlers_delete_softly_unless_they_use_the_store() {
    let (app, Callers { member, desk, .. }) = shop().await;
    member.post("/burnt/1", json!({})).await.expect(204);
    assert_eq!(counts(&app, "books"), (3, 1));
    member.post("/burnt/1", json!({})).await.expect(404);
    app.database().execute("DELETE FROM book_labels");
    app.database().execute("DELETE FROM covers");
    member.post("/shredded/1", json!({})).await.expect(204);
    assert_eq!(counts(&app, "books"), (2, 0));
    // Foreign keys act on the row that is gone.
    assert_eq!(counts(&app, "parts"), (1, 0));
    desk.get("/books/1").await.expect(404);
}

/// SDL-2: the children of a deleted row are not deleted, and foreign keys do not act.
#[tokio::test]
async fn children_are_not_deleted_with_their_parent() {
    let (app, Callers { member, .. }) = shop().await;
    member.delete("/books/1").await.expect(204);
    assert_eq!(counts(&app, "parts"), (3, 0));
    app.get("/parts/1").await.expect(200);
    // A restricting foreign key would refuse to remove the author of other books.
    app.delete("/authors/1").await.expect(204);
    assert_eq!(listed(&app, "/books").await, [2, 3]);
}

/// SDL-3: a deletion changes the version, needs the present one, and is undone by a dry run.
#[tokio::test]
async fn a_deletion_is_a_new_version() {
    let (app, Callers { member, desk, .. }) = shop().await;
    let before = desk.get("/books/1").await.expect(200);
    let tag = before.header("etag").to_owned();
    let dry = member.with_header("prefer", "dry-run");
    dry.delete("/books/1").await.expect(204);
    assert_eq!(counts(&app, "books"), (3, 0));
    let stale = member.with_header("if-match", "\"other\"");
    stale.delete("/books/1").await.expect(412);
    assert_eq!(counts(&app, "books"), (3, 0));
    let current = member.with_header("if-match", &tag);
    current.delete("/books/1").await.expect(204);
    let after = desk.get("/books/1").await.expect(200);
    assert_eq!(after.json()["version"], 2);
    assert_ne!(after.header("etag"), tag);
    let unread = desk.with_header("if-none-match", &tag);
    unread.get("/books/1").await.expect(200);
}

/// SDL-3: the version of a row without a column for it is made of all its values.
#[tokio::test]
async fn a_deletion_changes_the_tag_of_the_list() {
    let (app, _) = shop().await;
    let before = app.get("/labels").await.expect(200);
    app.delete("/labels/red").await.expect(204);
    let tagged = app.with_header("if-none-match", before.header("etag"));
    let after = tagged.get("/labels").await.expect(200);
    assert_eq!(ids(&after.json()), [2]);
}
