//! Unique constraints over several columns, and over some rows.

use http::Method;
use serde_json::{Value, json};
use test_support::TestApp;

use super::{app, expect_errors, import, loan, loan_with};

fn copy(branch: i64, barcode: &str) -> Value {
    json!({"branchId": branch, "barcode": barcode})
}

async fn two_copies() -> TestApp {
    let app = app().await;
    app.post("/copies", copy(1, "a")).await.expect(201);
    app.post("/copies", copy(1, "b")).await.expect(201);
    app.post("/copies", copy(2, "a")).await.expect(201);
    app
}

/// MOD-1: rows may share some of the values, but not all; the error is one of the object and names the columns.
#[tokio::test]
async fn values_that_are_taken_together_are_an_error_of_the_object() {
    let app = two_copies().await;
    let before = app.database().rows();
    let taken = json!({"_schema": ["The combination of Branch Id and Barcode is already taken."]});
    expect_errors(app.post("/copies", copy(1, "a")).await, taken.clone());
    expect_errors(app.put("/copies/2", copy(1, "a")).await, taken.clone());
    expect_errors(
        app.patch("/copies/2", json!({"barcode": "a"})).await,
        taken.clone(),
    );
    expect_errors(app.patch("/copies/3", json!({"branchId": 1})).await, taken);
    assert_eq!(app.database().rows(), before);
    app.patch("/copies/2", json!({"barcode": "b"})).await.expect(200);

    let problem = app.with_header("accept", "application/problem+json");
    let problem = problem.post("/copies", copy(1, "a")).await.expect(400).json();
    assert_eq!(problem["errors"]["_schema"][0]["code"], "unique");
}

/// MOD-1: bulk requests and files report the error below the object's index and write nothing.
#[tokio::test]
async fn values_that_are_taken_together_are_an_error_of_their_object_among_several() {
    let app = two_copies().await;
    let before = app.database().rows();
    let taken = json!({"1": {"_schema": ["The combination of Branch Id and Barcode is already taken."]}});
    let twice = json!([copy(3, "a"), copy(3, "a")]);
    expect_errors(app.post("/copies", twice).await, taken.clone());
    let csv = "branchId,barcode\r\n4,a\r\n1,b\r\n";
    // Errors of a file are below the number of the line.
    let third_line = json!({"3": taken["1"]});
    expect_errors(import(&app, "/copies", csv).await, third_line);
    let patches = json!([{"id": 1, "place": 7}, {"id": 2, "barcode": "a"}]);
    let patched = app.send_json(Method::PATCH, "/copies", patches).await;
    expect_errors(patched, taken.clone());
    let puts = json!([{"id": 3, "branchId": 2, "barcode": "a"}, {"id": 2, "branchId": 1, "barcode": "a"}]);
    expect_errors(app.send_json(Method::PUT, "/copies", puts).await, taken);
    assert_eq!(app.database().rows(), before);
}

/// MOD-1: a hidden column is not named, and the declared text is used.
#[tokio::test]
async fn a_hidden_column_is_not_named_and_the_message_can_be_declared() {
    let app = app().await;
    let marked = |branch: i64, mark: &str| json!({"branchId": branch, "barcode": "a", "shelfMark": mark});
    app.post("/copies", marked(1, "x")).await.expect(201);
    let taken = json!({"shelfMark": ["Shelf Mark is already taken."]});
    expect_errors(app.post("/copies", marked(2, "x")).await, taken);

    let placed = |barcode: &str, place: Option<i32>| json!({"branchId": 5, "barcode": barcode, "shelf": "A", "place": place});
    app.post("/copies", placed("a", Some(1))).await.expect(201);
    let taken = json!({"_schema": ["Another copy stands there."]});
    expect_errors(app.post("/copies", placed("b", Some(1))).await, taken);
    // Rows without one of the values are not compared.
    app.post("/copies", placed("b", None)).await.expect(201);
    app.post("/copies", placed("c", None)).await.expect(201);
}

/// MOD-2: a constraint with `where` applies to the rows that match the condition, when they are created and changed.
#[tokio::test]
async fn a_partial_constraint_applies_to_the_rows_of_its_condition() {
    let app = app().await;
    app.post("/loans", loan(7)).await.expect(201);
    let taken = json!({"copyId": ["This copy is on loan."]});
    expect_errors(app.post("/loans", loan(7)).await, taken.clone());
    app.post("/loans", loan(8)).await.expect(201);
    app.patch("/loans/1", json!({"returned": "2024-05-20"}))
        .await
        .expect(200);
    app.post("/loans", loan(7)).await.expect(201);

    let before = app.database().rows();
    let reopened = json!({"returned": null});
    expect_errors(app.patch("/loans/1", reopened).await, taken.clone());
    let both = json!([loan(9), loan(7)]);
    expect_errors(app.post("/loans", both).await, json!({"1": taken}));
    assert_eq!(app.database().rows(), before);
}

/// MOD-2: the condition may compare enums and decimals; below the fee, reservations are not compared.
#[tokio::test]
async fn the_condition_of_a_partial_constraint_compares_values_of_any_type() {
    let app = app().await;
    let reserve = |copy: i64, fee: &str| {
        let mut loan = loan_with(copy, "kind", "reserved");
        loan["returned"] = "2024-05-20".into();
        loan["fee"] = fee.into();
        loan
    };
    for fee in ["1.49", "1.49", "1.50"] {
        app.post("/loans", reserve(7, fee)).await.expect(201);
    }
    let taken = json!({"_schema": ["The combination of Copy Id and Kind is already taken."]});
    expect_errors(app.post("/loans", reserve(7, "2.00")).await, taken);
}
