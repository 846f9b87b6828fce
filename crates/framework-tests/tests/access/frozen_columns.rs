//! Columns that a caller cannot change on some rows.

use http::Method;
use model_resource::{
    Api, CREATE, Caller, Columns, Context, Draft, Error, Model, ModelPolicy, ModelResource, ModelSerializer,
    Operations, PATCH, PUT, Reply, Result, SerializerFields, Where, model_resource, route, serializer,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, Response, TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "invoices")]
struct Invoice {
    #[column(primary_key)]
    id: i64,
    owner_id: i64,
    amount: i64,
    #[column(default = "")]
    note: String,
    /// Null is not sent.
    is_sent: Option<bool>,
    #[column(default = false)]
    is_closed: bool,
    #[column(version)]
    version: i64,
}

#[derive(Debug, Clone, Model)]
#[model(table = "invoice_lines")]
struct Line {
    #[column(primary_key)]
    id: i64,
    #[column(references = Invoice, on_delete = cascade)]
    invoice_id: i64,
    text: String,
    price: i64,
}

struct LineSerializer;

#[serializer]
impl ModelSerializer for LineSerializer {
    type Model = Line;
}

struct InvoiceSerializer;

#[serializer]
impl ModelSerializer for InvoiceSerializer {
    type Model = Invoice;
    const EXCLUDE: Columns<Invoice> = Columns::of(Invoice::VERSION);

    fn fields(fields: SerializerFields<Invoice>) -> SerializerFields<Invoice> {
        fields
            .has_many::<LineSerializer>("lines", Line::INVOICE_ID)
            .writable("lines")
    }
}

struct InvoiceResource;

#[model_resource(Invoice, "/invoices", "/invoices/<int:id>", serializer = InvoiceSerializer, policy = InvoicePolicy)]
impl ModelResource for InvoiceResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
    const FILTER_METHODS: Operations = Operations::of([PATCH]);
    const INCREMENT: Columns<Invoice> = Columns::of(Invoice::AMOUNT);
}

#[model_resource(Line, "/lines", "/lines/<int:id>", serializer = LineSerializer, policy = LinePolicy)]
struct LineResource;

/// Callers see their invoices and change those that are not closed. Only managers change the amount after it was sent.
struct InvoicePolicy;

impl ModelPolicy for InvoicePolicy {
    type Model = Invoice;

    fn visible(caller: &Caller) -> Where<Invoice> {
        caller.owned_by(Invoice::OWNER_ID)
    }

    fn updatable(_: &Caller) -> Where<Invoice> {
        Invoice::IS_CLOSED.eq(false)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn frozen() -> Columns<Invoice> {
        Columns::of(Invoice::AMOUNT)
    }

    fn frozen_on(caller: &Caller) -> Where<Invoice> {
        if caller.has_role("manager") {
            Where::none()
        } else {
            Invoice::IS_SENT.eq(true)
        }
    }
}

/// Prices are frozen with their invoice, and the text of the line `fixed` cannot be changed at all.
struct LinePolicy;

impl ModelPolicy for LinePolicy {
    type Model = Line;

    fn updatable(_: &Caller) -> Where<Line> {
        Line::TEXT.ne("fixed")
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn frozen() -> Columns<Line> {
        Columns::of(Line::PRICE)
    }

    fn frozen_on(_: &Caller) -> Where<Line> {
        Line::INVOICE_ID.references(Invoice::IS_SENT.eq(true))
    }
}

fn param(cx: &Context, name: &str) -> i64 {
    let value = cx.params().get(name).and_then(|value| value.parse().ok());
    value.unwrap_or(0)
}

/// Sets the amount of an invoice that another request sends meanwhile, with the amount 20.
#[route("/raced/<int:invoice>/<int:amount>", methods = [POST])]
async fn race(cx: Context) -> Result<Reply> {
    let store = cx.store_unchecked();
    let invoice: Option<Invoice> = store.get(param(&cx, "invoice")).await?;
    let invoice = invoice.ok_or_else(Error::not_found)?;
    let sent = Draft::of(&invoice)
        .with(Invoice::IS_SENT, true)
        .with(Invoice::AMOUNT, 20);
    store.save(sent).await?;
    let draft = Draft::of(&invoice)
        .with(Invoice::AMOUNT, param(&cx, "amount"))
        .with(Invoice::NOTE, "raced".to_owned());
    let saved = cx.save(draft).await?;
    Reply::json(&json!({"amount": saved.amount, "note": saved.note, "isSent": saved.is_sent}))
}

/// Starts an app with an invoice that is open (101), sent (102), sent and closed (103), and sent by another (104).
async fn office() -> (TestApp, Client, Client) {
    let api = Api::new("office")
        .model_resource::<InvoiceResource>()
        .model_resource::<LineResource>()
        .route(race)
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO invoices (id, owner_id, amount, note, is_sent, is_closed, version) VALUES
             (101, 1, 10, '', NULL, FALSE, 1), (102, 1, 10, '', TRUE, FALSE, 1),
             (103, 1, 10, '', TRUE, TRUE, 1), (104, 2, 10, '', TRUE, FALSE, 1);
         INSERT INTO invoice_lines (id, invoice_id, text, price) VALUES
             (11, 101, 'a', 5), (21, 102, 'a', 5), (22, 102, 'fixed', 5);",
    );
    let (clerk, manager) = (app.as_caller("1"), app.as_caller("1 manager"));
    (app, clerk, manager)
}

fn invoice(amount: i64, note: &str) -> Value {
    json!({"ownerId": 1, "amount": amount, "note": note, "isSent": true, "isClosed": false})
}

async fn patch_as(client: &Client, url: &str, media_type: &str, body: Value) -> Response {
    let body = Some((media_type, body.to_string().into()));
    client.send(Method::PATCH, url, body).await
}

fn amount_error() -> Value {
    json!({"errors": {"amount": ["Cannot be changed on this object."]}})
}

/// POL-22: a new value is an error of its field, by each kind of update, and nothing is written.
#[tokio::test]
async fn a_frozen_column_cannot_be_changed() {
    let (app, clerk, _) = office().await;
    let before = app.database().rows();
    let url = "/invoices/102";
    let patch = json!({"amount": 11, "note": "x"});
    let operations = json!([{"op": "replace", "path": "/amount", "value": 11}]);
    for response in [
        clerk.put(url, invoice(11, "x")).await,
        clerk.patch(url, patch.clone()).await,
        // The row before the write decides.
        clerk.patch(url, json!({"amount": 11, "isSent": false})).await,
        clerk.patch(url, json!({"amount": {"$increment": 1}})).await,
        patch_as(&clerk, url, "application/merge-patch+json", patch).await,
        patch_as(&clerk, url, "application/json-patch+json", operations).await,
    ] {
        response.expect_json(400, amount_error());
    }
    let many = json!([{"id": 101, "amount": 11}, {"id": 102, "amount": 11}]);
    let errors = clerk.patch("/invoices", many).await.expect(400).text();
    assert!(errors.contains("Cannot be changed on this object."), "{errors}");
    let selecting = clerk.with_header("prefer", "max-affected=5");
    let filtered = selecting.patch("/invoices?isClosed=false", json!({"amount": 11}));
    let errors = filtered.await.expect(400).text();
    assert!(errors.contains("Cannot be changed on this object."), "{errors}");
    let problem = clerk.with_header("accept", "application/problem+json");
    let problem = problem.patch(url, json!({"amount": 11})).await.expect(400);
    assert_eq!(problem.json()["errors"]["amount"][0]["code"], "read_only");
    assert_eq!(app.database().rows(), before);
}

/// POL-22: a repeated value is accepted, other columns, other rows and other callers are not affected, nor are new rows.
#[tokio::test]
async fn everything_else_can_be_changed() {
    let (app, clerk, manager) = office().await;
    let amount = |id: i64| -> i64 {
        app.database()
            .value(&format!("SELECT amount FROM invoices WHERE id = {id}"))
    };
    let note = |response: Response| response.expect(200).json()["note"].clone();
    let url = "/invoices/102";
    assert_eq!(note(clerk.put(url, invoice(10, "a")).await), "a");
    assert_eq!(
        note(clerk.patch(url, json!({"amount": 10, "note": "b"})).await),
        "b"
    );
    assert_eq!(note(clerk.patch(url, json!({"note": "c"})).await), "c");
    assert_eq!(note(clerk.patch(url, json!({"amount": 10})).await), "c");
    let operations = json!([
        {"op": "replace", "path": "/note", "value": "d"}, {"op": "replace", "path": "/amount", "value": 10}
    ]);
    let patched = patch_as(&clerk, url, "application/json-patch+json", operations).await;
    assert_eq!(note(patched), "d");
    let many = json!([{"id": 101, "amount": 11}, {"id": 102, "amount": 10}]);
    clerk.patch("/invoices", many).await.expect(200);
    assert_eq!((amount(101), amount(102)), (11, 10));
    // Sent by the same update.
    clerk.put("/invoices/101", invoice(12, "a")).await.expect(200);
    assert_eq!(amount(101), 12);
    clerk
        .patch("/invoices/101", json!({"amount": 13}))
        .await
        .expect_json(400, amount_error());
    manager.patch(url, json!({"amount": 14})).await.expect(200);
    assert_eq!(amount(102), 14);
    let created = clerk.post("/invoices", invoice(15, "new")).await.expect(201);
    assert_eq!(created.json()["amount"], 15);
}

/// POL-22: invisible, denied and stale rows are answered as without frozen columns.
#[tokio::test]
async fn other_reasons_come_first() {
    let (app, clerk, _) = office().await;
    let before = app.database().rows();
    for (id, status) in [(103, 403), (104, 404), (999, 404)] {
        let url = format!("/invoices/{id}");
        for amount in [10, 11] {
            clerk.patch(&url, json!({"amount": amount})).await.expect(status);
            clerk.put(&url, invoice(amount, "x")).await.expect(status);
        }
    }
    let tag = clerk
        .get("/invoices/102")
        .await
        .expect(200)
        .header("etag")
        .to_owned();
    assert_eq!(app.database().rows(), before);
    app.database()
        .execute("UPDATE invoices SET note = 'newer', version = 2 WHERE id = 102");
    let old = clerk.with_header("if-match", &tag);
    old.patch("/invoices/102", json!({"amount": 11}))
        .await
        .expect(412);
}

/// POL-22: a row that is frozen after it was read is not changed, and a value that it has meanwhile is not new.
#[tokio::test]
async fn a_row_that_is_frozen_meanwhile_is_not_changed() {
    let (app, clerk, manager) = office().await;
    clerk
        .post("/raced/101/30", json!({}))
        .await
        .expect_json(400, amount_error());
    let kept: String = app.database().value("SELECT note FROM invoices WHERE id = 101");
    assert_eq!(kept, "");
    let saved = |amount: i64| json!({"amount": amount, "note": "raced", "isSent": true});
    clerk
        .post("/raced/101/20", json!({}))
        .await
        .expect_json(200, saved(20));
    manager
        .post("/raced/101/30", json!({}))
        .await
        .expect_json(200, saved(30));
    clerk.post("/raced/103/30", json!({})).await.expect(403);
    clerk.post("/raced/104/30", json!({})).await.expect(404);
}

/// POL-22: related objects are subject to the policy of their model, whose condition may ask for other rows.
#[tokio::test]
async fn frozen_columns_of_related_objects_cannot_be_changed() {
    let (app, clerk, _) = office().await;
    let before = app.database().rows();
    let update = |line: Value| json!({"note": "x", "lines": {"update": [line]}});
    let error = json!({"price": ["Cannot be changed on this object."]});
    clerk
        .patch("/invoices/102", update(json!({"id": 21, "price": 6})))
        .await
        .expect_json(400, json!({"errors": {"lines": {"update": {"0": error}}}}));
    clerk
        .patch("/lines/21", json!({"price": 6}))
        .await
        .expect_json(400, json!({"errors": error}));
    for price in [5, 6] {
        let fixed = update(json!({"id": 22, "price": price, "text": "b"}));
        clerk.patch("/invoices/102", fixed).await.expect(403);
    }
    assert_eq!(app.database().rows(), before);

    let repeated = update(json!({"id": 21, "price": 5, "text": "b"}));
    clerk.patch("/invoices/102", repeated).await.expect(200);
    let open = update(json!({"id": 11, "price": 6}));
    clerk.patch("/invoices/101", open).await.expect(200);
    let created = json!({"lines": {"add": [{"text": "c", "price": 7}]}});
    clerk.patch("/invoices/102", created).await.expect(200);
    let prices = "SELECT sum(price) FROM invoice_lines WHERE text IN ('a', 'b', 'c')";
    assert_eq!(app.database().value::<i64>(prices), 6 + 5 + 7);
}

struct KeyPolicy;

impl ModelPolicy for KeyPolicy {
    type Model = Line;

    fn frozen() -> Columns<Line> {
        Columns::of(Line::PRICE).and(Line::ID)
    }
}

struct VersionPolicy;

impl ModelPolicy for VersionPolicy {
    type Model = Invoice;

    fn frozen() -> Columns<Invoice> {
        Columns::of(Invoice::AMOUNT).and(Invoice::VERSION)
    }
}

/// POL-22: columns that no update sets cannot be frozen. Without a condition, columns are frozen on all rows.
#[tokio::test]
async fn columns_that_the_framework_sets_are_rejected_at_startup() {
    assert_eq!(
        startup_errors(Api::new("office").policy::<KeyPolicy>()).await,
        [
            "the policy of Line: `id` cannot be frozen, since the primary key never changes; leave it out of `frozen`"
        ]
    );
    assert_eq!(
        startup_errors(Api::new("office").policy::<VersionPolicy>()).await,
        [
            "the policy of Invoice: `version` cannot be frozen, since the framework sets it; leave it out of `frozen`"
        ]
    );
    assert!(KeyPolicy::frozen_on(&Caller::anonymous()).matches(&Line {
        id: 1,
        invoice_id: 1,
        text: String::new(),
        price: 1
    }));
}
