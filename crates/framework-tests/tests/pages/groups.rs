//! Pages of the groups of a list.

use model_resource::{Api, Columns, Decimal, Model, ModelResource, Pages, model_resource};
use serde_json::json;
use test_support::TestApp;

/// A branch.
#[derive(Debug, Clone, Model)]
#[model(table = "branches")]
struct Branch {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Branch, "/branches", "/branches/<int:id>")]
struct BranchResource;

/// A loan.
#[derive(Debug, Clone, Model)]
#[model(table = "loans")]
struct Loan {
    #[column(primary_key)]
    id: i64,
    #[column(references = Branch)]
    branch_id: i64,
    reader: String,
    #[column(precision = 8, scale = 2)]
    fee: Decimal,
}

struct LoanResource;

#[model_resource(Loan, "/loans", "/loans/<int:id>")]
impl ModelResource for LoanResource {
    const AGGREGATE: Columns<Loan> = Columns::of(Loan::BRANCH_ID).and(Loan::READER).and(Loan::FEE);
}

async fn library() -> TestApp {
    let api = Api::new("library")
        .prefix("/api")
        .model_resource::<BranchResource>()
        .model_resource::<LoanResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    for name in ["Harbour", "Station"] {
        app.post("/api/branches", json!({ "name": name }))
            .await
            .expect(201);
    }
    for (branch, reader, fee) in [(1, "<b>Ann</b>", "1.25"), (1, "Bob", "2.00"), (2, "Bob", "0.50")] {
        let loan = json!({"branchId": branch, "reader": reader, "fee": fee});
        app.post("/api/loans", loan).await.expect(201);
    }
    app
}

/// AGG-11: the page of an aggregate is a table of the groups, with the labels of foreign keys and links to other orders.
#[tokio::test]
async fn groups_are_shown_as_a_table() {
    let app = library().await;
    let browser = app.with_header("accept", "text/html");
    let page = browser
        .get("/api/loans?group=branchId&count&sum(fee)")
        .await
        .expect(200)
        .text();
    for part in [
        "Branch",
        ">Count",
        ">Fee sum",
        "Harbour",
        "3.25",
        "Station",
        "0.50",
        "sort=feeSum",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert!(page.contains("format=csv"));
    let by_reader = browser
        .get("/api/loans?group=reader&sort=-reader")
        .await
        .expect(200)
        .text();
    assert!(by_reader.contains("&lt;b&gt;Ann&lt;/b&gt;") && !by_reader.contains("<b>Ann</b>"));
    assert!(by_reader.contains("aria-sort=\"descending\""));
    let paged = browser
        .get("/api/loans?group=reader&limit=1")
        .await
        .expect(200)
        .text();
    assert!(paged.contains("rel=\"next\"") && paged.contains("offset=1"));
    let total = browser.get("/api/loans?count").await.expect(200).text();
    assert!(total.contains(">3</"), "{total}");
    let none = browser
        .get("/api/loans?group=reader&reader=Zoe")
        .await
        .expect(200)
        .text();
    assert!(none.contains("There are no groups."));
    browser.get("/api/loans?group=nosuch").await.expect(400);
    // The page of the rows is as before.
    let rows = browser
        .get("/api/loans?limit=2&count=exact")
        .await
        .expect(200)
        .text();
    assert!(rows.contains("Harbour") && !rows.contains("groups</h1>"));
}
