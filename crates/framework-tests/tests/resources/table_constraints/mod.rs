//! Unique constraints over several columns, indexes and checks that models declare.

mod checks;
mod literals;
mod startup;
mod uniques;

use http::Method;
use model_resource::{
    Api, CREATE, ColumnEnum, Date, Decimal, Model, ModelResource, ModelSerializer, Operations, PATCH, PUT,
    Timestamp, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{Response, TestApp};

/// A copy of a book in a branch of a library.
#[derive(Debug, Clone, Model)]
#[model(
    table = "copies",
    unique(branch_id, barcode),
    unique(tenant, shelf_mark),
    unique(branch_id, shelf, place, message = "Another copy stands there."),
    index(branch_id, added_at desc),
    index(shelf_mark, where = Self::SHELF.is_null())
)]
struct BookCopy {
    #[column(primary_key)]
    id: i64,
    branch_id: i64,
    barcode: String,
    #[column(hidden, default = "one")]
    tenant: String,
    shelf_mark: Option<String>,
    shelf: Option<String>,
    place: Option<i32>,
    #[column(created)]
    added_at: Timestamp,
}

struct CopySerializer;

#[serializer]
impl ModelSerializer for CopySerializer {
    type Model = BookCopy;
}

struct CopyResource;

#[model_resource(BookCopy, "/copies", "/copies/<int:id>")]
impl ModelResource for CopyResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
}

#[derive(Debug, Clone, Copy, PartialEq, ColumnEnum)]
enum Kind {
    Lent,
    Reserved,
}

/// A loan of a copy.
#[derive(Debug, Clone, Model)]
#[model(unique(copy_id, where = Loan::RETURNED.is_null(), message = "This copy is on loan."))]
#[model(unique(copy_id, kind, where = Loan::KIND.eq(Kind::Reserved).and(Loan::FEE.gte(Decimal::new(150, 2))), name = "dear_reservation"))]
#[model(
    check(ends_after_start = Loan::DUE.gt_field(Loan::LENT), message = "Must be due after it is lent."),
    check(back_in_time = Loan::RETURNED.is_null().or(Loan::RETURNED.gte_field(Loan::LENT))),
    check(fair = Loan::FEE.lte(Decimal::new(9950, 2)), message = "Nobody pays that."),
    check(plain = !Loan::NOTE.one_of([Some("it's".to_owned()), Some("bad".to_owned())])),
    check(sober = Self::SECRET.ne("gin"), message = "No.")
)]
struct Loan {
    #[column(primary_key)]
    id: i64,
    copy_id: i64,
    lent: Date,
    due: Date,
    returned: Option<Date>,
    #[column(default = "lent")]
    kind: Kind,
    #[column(precision = 8, scale = 2, default = "0.00")]
    fee: Decimal,
    note: Option<String>,
    #[column(hidden, default = "")]
    secret: String,
}

struct LoanSerializer;

#[serializer]
impl ModelSerializer for LoanSerializer {
    type Model = Loan;
}

struct LoanResource;

#[model_resource(Loan, "/loans", "/loans/<int:id>")]
impl ModelResource for LoanResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
}

async fn app() -> TestApp {
    let api = Api::new("api")
        .serializer::<CopySerializer>()
        .serializer::<LoanSerializer>()
        .model_resource::<CopyResource>()
        .model_resource::<LoanResource>();
    TestApp::with_api(api).await
}

async fn import(app: &TestApp, path: &str, csv: &str) -> Response {
    let body = Some(("text/csv", csv.to_owned().into()));
    app.send(Method::POST, path, body).await
}

fn loan(copy: i64) -> Value {
    json!({"copyId": copy, "lent": "2024-05-06", "due": "2024-06-06"})
}

/// A loan with another value of a field.
fn loan_with(copy: i64, field: &str, value: impl Into<Value>) -> Value {
    let mut loan = loan(copy);
    loan[field] = value.into();
    loan
}

/// Asserts that a request is answered with these errors and changes nothing.
fn expect_errors(response: Response, errors: Value) {
    response.expect_json(400, json!({"errors": errors}));
}
