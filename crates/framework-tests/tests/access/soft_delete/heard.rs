//! Events of soft deletions and restorations.

use std::sync::{Arc, Mutex};

use model_resource::{
    Api, Caller, Change, Context, Draft, Model, ModelPolicy, ModelResource, Result, Timestamp, Where,
    model_resource,
};
use serde_json::json;
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "heard_books")]
struct HeardBook {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(default = 0)]
    restorations: i64,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
    #[column(version)]
    version: i64,
}

struct HeardBookPolicy;

impl ModelPolicy for HeardBookPolicy {
    type Model = HeardBook;

    fn shows_deleted(_: &Caller) -> Where<HeardBook> {
        Where::all()
    }

    fn updatable(_: &Caller) -> Where<HeardBook> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

struct HeardBookResource;

#[model_resource(HeardBook, "/books", "/books/<int:id>", policy = HeardBookPolicy)]
impl ModelResource for HeardBookResource {
    const RESTORE: bool = true;
}

/// Counts the restorations of a book in the book itself.
async fn count_restorations(cx: Context, change: Change<HeardBook>) -> Result<()> {
    if let Change::Updated { before, after } = &change
        && before.deleted_at.is_some()
        && after.deleted_at.is_none()
    {
        let draft = Draft::of(after).with(HeardBook::RESTORATIONS, after.restorations + 1);
        cx.save(draft).await?;
    }
    Ok(())
}

/// SDL-1, EVT-1: a soft deletion is heard of with the row before it, and a restoration as an update, in which subscribers
/// may write the row.
#[tokio::test]
async fn soft_deletions_and_restorations_are_heard_of() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&heard);
    let api = Api::new("library")
        .model_resource::<HeardBookResource>()
        .on_change(count_restorations)
        .on_change(move |_: Context, change: Change<HeardBook>| {
            if let Change::Deleted(book) = change {
                log.lock()
                    .unwrap()
                    .push((book.version, book.deleted_at.is_none()));
            }
            async { Ok(()) }
        });
    let app = TestApp::with_api(api).await;
    app.post("/books", json!({"title": "Lost"})).await.expect(201);
    app.delete("/books/1").await.expect(204);
    assert_eq!(*heard.lock().unwrap(), [(1, true)]);
    app.post("/books/1/restore", json!({})).await.expect(200);
    let book = app.get("/books/1").await.expect(200).json();
    assert_eq!(
        (&book["restorations"], &book["deletedAt"]),
        (&json!(1), &json!(null))
    );
}
