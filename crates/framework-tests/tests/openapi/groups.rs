//! Groups of lists in the document.

use model_resource::{
    Api, Caller, Columns, Decimal, Model, ModelPolicy, ModelResource, Timestamp, Where, model_resource,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

use crate::checked::Document;

#[derive(Debug, Clone, Model)]
#[model(table = "loans")]
struct Loan {
    #[column(primary_key)]
    id: i64,
    branch_id: i64,
    loaned_at: Option<Timestamp>,
    #[column(precision = 8, scale = 2)]
    fee: Decimal,
    title: String,
}

struct LoanResource;

#[model_resource(Loan, "/loans", policy = LoanPolicy)]
impl ModelResource for LoanResource {
    const PUBLIC: bool = true;
    const AGGREGATE: Columns<Loan> = Columns::of(Loan::BRANCH_ID)
        .and(Loan::LOANED_AT)
        .and(Loan::FEE)
        .and(Loan::TITLE);
}

/// Hides fees from anonymous callers.
struct LoanPolicy;

impl ModelPolicy for LoanPolicy {
    type Model = Loan;

    fn visible(_: &Caller) -> Where<Loan> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn hidden(caller: &Caller) -> Columns<Loan> {
        if caller.is_authenticated() {
            Columns::none()
        } else {
            Columns::of(Loan::FEE)
        }
    }
}

#[model_resource(Loan, "/plain")]
struct PlainResource;

async fn library() -> TestApp {
    let api = Api::new("library")
        .authenticator(HeaderAuthenticator)
        .model_resource::<LoanResource>()
        .model_resource::<PlainResource>()
        .openapi();
    let app = TestApp::with_api(api).await;
    for (branch, moment) in [(1, json!("2026-01-05T10:00:00Z")), (2, Value::Null)] {
        let loan = json!({"branchId": branch, "loanedAt": moment, "fee": "1.50", "title": "Emma"});
        app.as_caller("1").post("/loans", loan).await.expect(201);
    }
    app
}

async fn document(client: &Client) -> Document {
    Document(client.get("/openapi.json").await.expect(200).json())
}

/// AGG-10: the document has the parameters of groups of the resources that allow them, and the responses to them.
#[tokio::test]
async fn the_document_describes_groups_and_their_parameters() {
    let app = library().await;
    let client = app.as_caller("1");
    let document = document(&client).await;
    let names = document.query_names("get", "/loans");
    for name in [
        "group",
        "sum(fee)",
        "max(title)",
        "distinct(branchId)",
        "having[count][gte]",
        "having[feeSum]",
    ] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    for name in [
        "sum(title)",
        "having[branchId]",
        "having[titleMax][contains]",
        "month(loanedAt)",
    ] {
        assert!(!names.contains(&name), "{name}");
    }
    let keys = &document.query("get", "/loans", "group")["schema"]["items"]["enum"];
    let expected = json!([
        "branchId",
        "loanedAt",
        "day(loanedAt)",
        "month(loanedAt)",
        "year(loanedAt)",
        "fee",
        "title"
    ]);
    assert_eq!(keys, &expected);
    let sort = &document.query("get", "/loans", "sort")["schema"]["items"]["enum"];
    assert!(sort.as_array().unwrap().contains(&json!("-feeSum")));
    let values = &document.query("get", "/loans", "count")["schema"]["enum"];
    assert_eq!(values, &json!(["", "exact", "estimated", "none"]));
    let unique: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len());

    for query in [
        "",
        "group=branchId,month(loanedAt),day(loanedAt),year(loanedAt)&count&sum(fee)&avg(fee)&min(loanedAt)",
        "group=title&sum(branchId)&distinct(fee)&max(fee)&having[feeMax][gte]=1",
        "sum(fee)&count&branchId=9",
        "group=branchId&branchId=9",
        "group=nosuch",
        "group=branchId&limit=1",
    ] {
        let response = client.get(&format!("/loans?{query}")).await;
        document.expect_documented("get", "/loans", &response);
    }
    // The schema is no blank cheque.
    let schema =
        &document.operation("get", "/loans")["responses"]["200"]["content"]["application/json"]["schema"];
    let validator = document.validator(schema);
    assert!(
        !validator.is_valid(&json!([{"feeMedian": 1}])) && !validator.is_valid(&json!([{"count": null}]))
    );
    assert!(validator.is_valid(&json!([{"count": 1, "feeSum": null}])));
}

/// AGG-10: the document of a caller has no groups of columns that are hidden from them, and of other resources none.
#[tokio::test]
async fn the_document_has_the_groups_that_the_caller_may_ask_for() {
    let app = library().await;
    let document = document(&app.anonymous).await;
    let names = document.query_names("get", "/loans");
    assert!(names.contains(&"group") && names.iter().all(|name| !name.contains("fee")));
    let plain = document.query_names("get", "/plain");
    assert!(
        plain
            .iter()
            .all(|name| *name != "group" && !name.contains('(') && !name.contains("having"))
    );
}
