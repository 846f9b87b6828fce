//! Conditions that every row fulfils.

use http::Method;
use model_resource::{Api, Context, Date, Draft, Model, ModelResource, Reply, Result, Store, model_resource};
use serde_json::json;
use test_support::{TestApp, TestDatabase};

use super::{Loan, LoanSerializer, app, expect_errors, import, loan, loan_with};

/// MOD-4: a violated check is an error with the check's message, on every input path, and nothing is written.
#[tokio::test]
async fn a_row_that_violates_a_check_is_rejected() {
    let app = app().await;
    app.post("/loans", loan(1)).await.expect(201);
    app.post("/loans", loan(2)).await.expect(201);
    let before = app.database().rows();
    let late = json!({"_schema": ["Must be due after it is lent."]});
    expect_errors(
        app.post("/loans", loan_with(3, "due", "2024-05-06")).await,
        late.clone(),
    );
    expect_errors(
        app.put("/loans/1", loan_with(1, "due", "2024-05-05")).await,
        late.clone(),
    );
    // A patch does not read the row, so that the database evaluates the condition.
    expect_errors(
        app.patch("/loans/1", json!({"due": "2024-05-06"})).await,
        late.clone(),
    );
    expect_errors(
        app.patch("/loans/1", json!({"lent": "2024-06-06"})).await,
        late.clone(),
    );
    let second = json!({"1": late});
    let csv = "copyId,lent,due\r\n3,2024-05-06,2024-05-07\r\n4,2024-05-06,2024-05-06\r\n";
    let third_line = json!({"3": second["1"]});
    expect_errors(import(&app, "/loans", csv).await, third_line);
    let both = json!([loan(3), loan_with(4, "due", "2024-05-06")]);
    expect_errors(app.post("/loans", both).await, second.clone());
    let patches = json!([{"id": 1, "note": "x"}, {"id": 2, "due": "2024-05-06"}]);
    expect_errors(app.send_json(Method::PATCH, "/loans", patches).await, second);
    assert_eq!(app.database().rows(), before);
    app.patch("/loans/1", json!({"due": "2024-05-07"}))
        .await
        .expect(200);
}

/// MOD-4: the error belongs to the field if the check compares a single column that clients see; the code is the
/// check's name.
#[tokio::test]
async fn the_error_of_a_check_is_that_of_its_only_column() {
    let app = app().await;
    let dear = loan_with(1, "fee", "99.51");
    expect_errors(
        app.post("/loans", dear.clone()).await,
        json!({"fee": ["Nobody pays that."]}),
    );
    let plain = json!({"note": ["Does not meet the condition \"plain\"."]});
    expect_errors(app.post("/loans", loan_with(1, "note", "it's")).await, plain);
    let problem = app.with_header("accept", "application/problem+json");
    let problem = problem.post("/loans", dear).await.expect(400).json();
    assert_eq!(problem["errors"]["fee"][0]["code"], "fair");
    app.post("/loans", loan_with(1, "fee", "99.50")).await.expect(201);
    expect_errors(
        app.patch("/loans/1", json!({"fee": "99.51"})).await,
        json!({"fee": ["Nobody pays that."]}),
    );
}

/// MOD-4: a comparison with a missing value does not hold, in the program and in the database.
#[tokio::test]
async fn a_missing_value_does_not_fulfil_a_comparison() {
    let app = app().await;
    app.post("/loans", loan_with(1, "returned", "2024-05-06"))
        .await
        .expect(201);
    let early = json!({"_schema": ["Does not meet the condition \"back_in_time\"."]});
    expect_errors(
        app.post("/loans", loan_with(1, "returned", "2024-05-05")).await,
        early.clone(),
    );
    expect_errors(
        app.patch("/loans/1", json!({"returned": "2024-05-05"})).await,
        early,
    );
    app.patch("/loans/1", json!({"returned": null})).await.expect(200);
}

struct SoberResource;

#[model_resource(Loan, "/loans")]
impl ModelResource for SoberResource {
    async fn create(cx: Context, mut loan: Draft<Loan>) -> Result<Reply> {
        loan.set(Loan::SECRET, "gin".to_owned());
        cx.created(loan).await
    }
}

/// MOD-4: a check of a hidden column is an error of the object, which does not name it.
#[tokio::test]
async fn a_check_of_a_hidden_column_does_not_name_it() {
    let api = Api::new("api")
        .serializer::<LoanSerializer>()
        .model_resource::<SoberResource>();
    let app = TestApp::with_api(api).await;
    expect_errors(app.post("/loans", loan(1)).await, json!({"_schema": ["No."]}));
    assert_eq!(app.get("/loans").await.json(), json!([]));
}

/// QRY-8: comparisons of two fields select the same rows in the database as in memory; a missing value matches none.
#[tokio::test]
async fn fields_are_compared_with_each_other() {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    store.create_tables(&[Loan::table()]).await.unwrap();
    let day = |day: i8| Date::constant(2024, 5, day);
    for (copy, returned) in [(1, Some(10)), (2, Some(20)), (3, Some(30)), (4, None)] {
        let mut draft = Draft::<Loan>::new();
        draft.set(Loan::COPY_ID, copy);
        draft.set(Loan::LENT, day(10));
        draft.set(Loan::DUE, day(20));
        draft.set(Loan::RETURNED, returned.map(day));
        store.create(draft).await.unwrap();
    }
    let all = store.all(&Loan::query()).await.unwrap();
    for (condition, expected) in [
        (Loan::RETURNED.gt_field(Loan::DUE), &[3][..]),
        (Loan::RETURNED.gte_field(Loan::DUE), &[2, 3]),
        (Loan::RETURNED.eq_field(Loan::LENT), &[1]),
        (Loan::DUE.gt_field(Loan::RETURNED), &[1]),
        (!Loan::RETURNED.gt_field(Loan::DUE), &[1, 2, 4]),
    ] {
        let found = store.all(&Loan::query().filter(condition.clone())).await.unwrap();
        let copies: Vec<i64> = found.iter().map(|loan| loan.copy_id).collect();
        assert_eq!(copies, expected, "{condition:?}");
        let matching = all.iter().filter(|loan| condition.matches(loan));
        let copies: Vec<i64> = matching.map(|loan| loan.copy_id).collect();
        assert_eq!(copies, expected, "{condition:?} in memory");
    }
}
