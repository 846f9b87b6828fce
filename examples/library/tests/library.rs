//! The library on a real database.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use library::{Cards, Messages, api};
use model_resource_testing::{TestApp, TestClient};
use serde_json::{Value, json};

struct Library {
    app: TestApp,
    desk: TestClient,
    ann: TestClient,
    bob: TestClient,
    messages: Arc<Mutex<Vec<(i64, String)>>>,
}

/// A library with two branches, two members, two authors, a book and two copies of it.
async fn library() -> Library {
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sent = Arc::clone(&messages);
    let send = Messages(Arc::new(move |member, text| {
        sent.lock().unwrap().push((member, text));
    }));
    let desk_key = "secret".to_owned();
    let app = TestApp::new(api(Cards { desk_key }, send)).await;
    let desk = app.with_header("desk-key", "secret");
    for name in ["North", "South"] {
        desk.post("/branches", json!({"name": name}))
            .await
            .assert_status(201);
    }
    for name in ["ann", "bob"] {
        let member = json!({"name": name, "email": format!("{name}@example.com")});
        desk.post("/members", member).await.assert_status(201);
    }
    for name in ["Brian Kernighan", "Rob Pike"] {
        desk.post("/authors", json!({"name": name}))
            .await
            .assert_status(201);
    }
    let book = json!({"title": "The Practice of Programming", "year": 1999, "authors": ["Rob Pike", "Brian Kernighan"]});
    desk.post("/books", book).await.assert_status(201);
    for (branch, barcode) in [(1, "000001"), (2, "000001")] {
        let copy = json!({"branchId": branch, "barcode": barcode});
        desk.post("/books/1/copies", copy).await.assert_status(201);
    }
    Library {
        desk,
        ann: app.with_header("library-card", "1"),
        bob: app.with_header("library-card", "2"),
        app,
        messages,
    }
}

fn loan(copy: i64, member: i64, lent: &str, due: &str) -> Value {
    json!({"copyId": copy, "memberId": member, "branchId": copy, "lent": lent, "due": due})
}

#[tokio::test]
async fn books_name_their_authors() {
    let library = library().await;
    let book = library.app.get("/books/1").await.assert_status(200);
    book.assert_json(json!({"authors": ["Brian Kernighan", "Rob Pike"]}));
    let change = json!({"authors": {"remove": ["Rob Pike"]}});
    library
        .ann
        .patch("/books/1", change.clone())
        .await
        .assert_status(403);
    let book = library.desk.patch("/books/1", change).await.assert_status(200);
    book.assert_json(json!({"authors": ["Brian Kernighan"]}));
    library
        .desk
        .patch("/books/1", json!({"authors": ["Nobody"]}))
        .await
        .assert_status(400);
    let found = library.app.get("/books?authors.name=Brian%20Kernighan").await;
    found.assert_status(200).assert_json(json!([{"id": 1}]));
}

#[tokio::test]
async fn members_see_and_change_themselves() {
    let library = library().await;
    let members = library.ann.get("/members").await;
    members
        .assert_status(200)
        .assert_json_exact(json!([{"id": 1, "name": "ann", "email": "ann@example.com"}]));
    let name = json!({"name": "Anna"});
    library
        .ann
        .patch("/members/1", name.clone())
        .await
        .assert_status(200);
    library.ann.patch("/members/2", name).await.assert_status(404);
    library.ann.delete("/members/1").await.assert_status(403);
    library
        .app
        .get("/members")
        .await
        .assert_status(200)
        .assert_json_exact(json!([]));
    let stranger = library.app.with_header("desk-key", "guess");
    stranger.get("/members").await.assert_status(401);
}

#[tokio::test]
async fn barcodes_are_unique_in_their_branch() {
    let library = library().await;
    let copy = json!({"branchId": 1, "barcode": "000001"});
    let errors = library
        .desk
        .post("/books/1/copies", copy)
        .await
        .assert_status(400)
        .text();
    assert!(errors.contains("already taken"), "{errors}");
}

#[tokio::test]
async fn a_copy_is_lent_to_one_member_at_a_time() {
    let library = library().await;
    let first = loan(1, 1, "2026-03-01", "2026-03-15");
    library.ann.post("/loans", first.clone()).await.assert_status(403);
    library.desk.post("/loans", first).await.assert_status(201);
    let second = loan(1, 2, "2026-03-02", "2026-03-16");
    let errors = library
        .desk
        .post("/loans", second.clone())
        .await
        .assert_status(400)
        .text();
    assert!(errors.contains("This copy is on loan."), "{errors}");
    let early = loan(2, 2, "2026-03-02", "2026-03-01");
    let errors = library.desk.post("/loans", early).await.assert_status(400).text();
    assert!(errors.contains("Must be due after it is lent."), "{errors}");
    library
        .desk
        .post("/loans/1/return", json!({"on": "2026-03-10"}))
        .await
        .assert_status(204);
    library.desk.post("/loans", second).await.assert_status(201);
    library
        .ann
        .get("/loans")
        .await
        .assert_status(200)
        .assert_json(json!([{"id": 1}]));
    library.bob.get("/loans/1").await.assert_status(404);
}

#[tokio::test]
async fn a_late_return_costs_a_fee_and_sends_a_message() {
    let library = library().await;
    library
        .desk
        .post("/loans", loan(1, 1, "2026-03-01", "2026-03-15"))
        .await
        .assert_status(201);
    library
        .ann
        .post("/loans/1/return", json!({"on": "2026-03-20"}))
        .await
        .assert_status(403);
    library
        .desk
        .post("/loans/1/return", json!({"on": "2026-03-20"}))
        .await
        .assert_status(204);
    // A loan that is over cannot be returned again, and nothing of the second attempt remains.
    library
        .desk
        .post("/loans/1/return", json!({"on": "2026-03-21"}))
        .await
        .assert_status(403);
    let invoices = library.desk.get("/invoices").await.assert_status(200);
    invoices.assert_json(json!([{"lines": [{"text": "5 days late", "cents": 100}]}]));
    tokio::time::sleep(Duration::from_millis(200)).await;
    let sent = [(1, "Loan 1 is back. Thank you!".to_owned())];
    assert_eq!(*library.messages.lock().unwrap(), sent);
}

#[tokio::test]
async fn an_invoice_is_written_with_its_lines_and_follows_its_states() {
    let library = library().await;
    let invoice = json!({"memberId": 1, "lines": [{"text": "Lost book", "cents": 2500}, {"text": "Fee", "cents": 300}]});
    library
        .ann
        .post("/invoices", invoice.clone())
        .await
        .assert_status(403);
    let invoice = library.desk.post("/invoices", invoice).await.assert_status(201);
    let invoice = invoice
        .assert_json(json!({"state": "draft", "lines": [{}, {"cents": 300}]}))
        .json::<Value>();
    library.ann.get("/invoices/1").await.assert_status(404);
    let changes =
        json!({"lines": {"remove": [invoice["lines"][1]["id"]], "add": [{"text": "Fine", "cents": 0}]}});
    let errors: Value = library
        .desk
        .patch("/invoices/1", changes)
        .await
        .assert_status(400)
        .json();
    assert!(
        errors["errors"]["lines"]["add"]["0"]["cents"].is_array(),
        "{errors}"
    );

    let paid = library.desk.patch("/invoices/1", json!({"state": "paid"})).await;
    let errors: Value = paid.assert_status(400).json();
    assert!(errors["errors"]["state"].to_string().contains("sent"), "{errors}");
    library
        .desk
        .patch("/invoices/1", json!({"state": "sent"}))
        .await
        .assert_status(200);
    let seen = library.ann.get("/invoices/1").await.assert_status(200);
    seen.assert_json(json!({"lines": [{}, {}]}));
    // What was sent is no longer changed.
    library
        .desk
        .patch("/invoices/1", json!({"lines": []}))
        .await
        .assert_status(403);
    library.bob.get("/invoices/1").await.assert_status(404);
    library
        .desk
        .patch("/invoices/1", json!({"state": "paid"}))
        .await
        .assert_status(200);
    library
        .desk
        .patch("/invoices/1", json!({"state": "void"}))
        .await
        .assert_status(400);
}

#[tokio::test]
async fn loans_are_counted_by_branch_and_month() {
    let library = library().await;
    for (copy, member, day) in [(1, 1, "2026-03-01"), (2, 2, "2026-03-02")] {
        library
            .desk
            .post("/loans", loan(copy, member, day, "2026-05-01"))
            .await
            .assert_status(201);
    }
    let counts = library
        .desk
        .get("/loans?group=branchId,month(lent)&count&sort=-count,branchId")
        .await;
    counts.assert_status(200).assert_json_exact(
        json!([{"branchId": 1, "lentMonth": "2026-03", "count": 1}, {"branchId": 2, "lentMonth": "2026-03", "count": 1}]),
    );
    let own = library.ann.get("/loans?group=month(lent)&count").await;
    own.assert_status(200)
        .assert_json_exact(json!([{"lentMonth": "2026-03", "count": 1}]));
}
