//! Objects that are written with their related ones: `writable` relations of a serializer.

mod policies;
mod requests;

use model_resource::{
    Api, CREATE, Caller, Columns, Draft, Model, ModelPolicy, ModelResource, ModelSerializer, Operations,
    PATCH, PUT, SerializerFields, Where, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "invoices")]
struct Invoice {
    #[column(primary_key)]
    id: i64,
    customer: String,
    #[column(default = false)]
    is_sent: bool,
    #[column(version)]
    version: i64,
}

#[derive(Debug, Clone, Model)]
#[model(table = "products")]
struct Product {
    #[column(primary_key)]
    id: i64,
    is_secret: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "invoice_lines")]
struct InvoiceLine {
    #[column(primary_key)]
    id: i64,
    #[column(references = Invoice, on_delete = cascade)]
    invoice_id: i64,
    #[column(min = 1)]
    quantity: i64,
    #[column(unique)]
    code: String,
    #[column(references = Product)]
    product_id: Option<i64>,
    #[column(default = 0)]
    entered_by: i64,
    #[column(default = false)]
    is_locked: bool,
}

struct LineSerializer;

#[serializer]
impl ModelSerializer for LineSerializer {
    type Model = InvoiceLine;
    const EXCLUDE: Columns<InvoiceLine> = Columns::of(InvoiceLine::IS_LOCKED);
}

struct InvoiceSerializer;

#[serializer]
impl ModelSerializer for InvoiceSerializer {
    type Model = Invoice;

    fn fields(fields: SerializerFields<Invoice>) -> SerializerFields<Invoice> {
        fields
            .has_many::<LineSerializer>("lines", InvoiceLine::INVOICE_ID)
            .writable("lines")
    }
}

struct InvoiceResource;

#[model_resource(Invoice, "/invoices", "/invoices/<int:id>", serializer = InvoiceSerializer, policy = InvoicePolicy)]
impl ModelResource for InvoiceResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
}

#[model_resource(InvoiceLine, "/lines", "/lines/<int:id>", serializer = LineSerializer, policy = LinePolicy)]
struct LineResource;

#[model_resource(Product, "/products", "/products/<int:id>", policy = ProductPolicy)]
struct ProductResource;

struct InvoicePolicy;

impl ModelPolicy for InvoicePolicy {
    type Model = Invoice;

    fn updatable(_: &Caller) -> Where<Invoice> {
        Invoice::IS_SENT.eq(false)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

/// Guests cannot write lines. Clerks change lines that are not locked, and write quantities of at most ten.
struct LinePolicy;

impl ModelPolicy for LinePolicy {
    type Model = InvoiceLine;

    fn visible(caller: &Caller) -> Where<InvoiceLine> {
        if caller.has_role("temp") {
            caller.owned_by(InvoiceLine::ENTERED_BY)
        } else {
            Where::all()
        }
    }

    fn updatable(caller: &Caller) -> Where<InvoiceLine> {
        if caller.is_authenticated() {
            InvoiceLine::IS_LOCKED.eq(false)
        } else {
            Where::none()
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn writable(caller: &Caller) -> Where<InvoiceLine> {
        if caller.has_role("manager") {
            Where::all()
        } else {
            InvoiceLine::QUANTITY.lte(10)
        }
    }

    fn presets(caller: &Caller) -> Draft<InvoiceLine> {
        Draft::new().with(InvoiceLine::ENTERED_BY, caller.key::<i64>().unwrap_or(0))
    }
}

struct ProductPolicy;

impl ModelPolicy for ProductPolicy {
    type Model = Product;

    fn visible(_: &Caller) -> Where<Product> {
        Product::IS_SECRET.eq(false)
    }
}

struct Office {
    app: TestApp,
    clerk: Client,
    temp: Client,
    manager: Client,
}

async fn office() -> Office {
    let api = Api::new("office")
        .model_resource::<InvoiceResource>()
        .model_resource::<LineResource>()
        .model_resource::<ProductResource>()
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    let database = app.database();
    database.execute("INSERT INTO products (id, is_secret) VALUES (1, false), (2, true)");
    database.execute(
        "INSERT INTO invoices (id, customer, is_sent, version) VALUES
         (100, 'Ann', false, 1), (101, 'Bob', true, 1), (102, 'Cem', false, 1)",
    );
    database.execute(
        "INSERT INTO invoice_lines (id, invoice_id, quantity, code, entered_by, is_locked) VALUES
         (1000, 100, 1, 'a', 1, false), (1001, 100, 2, 'b', 1, false), (1002, 101, 1, 'c', 1, false),
         (1003, 102, 1, 'd', 1, true), (1004, 102, 1, 'e', 2, false)",
    );
    let [clerk, temp, manager] = ["1", "2 temp", "3 manager"].map(|caller| app.as_caller(caller));
    Office {
        app,
        clerk,
        temp,
        manager,
    }
}

fn line(quantity: i64, code: &str) -> Value {
    json!({"quantity": quantity, "code": code})
}

/// Lines of an invoice, without their keys.
async fn lines(client: &Client, invoice: i64) -> Vec<(i64, String)> {
    let url = format!("/lines?invoiceId={invoice}&sort=code");
    let lines = client.get(&url).await.expect(200).json();
    let quantity = |line: &Value| line["quantity"].as_i64().unwrap_or_default();
    let code = |line: &Value| line["code"].as_str().unwrap_or_default().to_owned();
    let lines = lines.as_array().into_iter().flatten();
    lines.map(|line| (quantity(line), code(line))).collect()
}

/// NST-1: a create writes the object and its related ones, and shows both.
#[tokio::test]
async fn an_object_is_created_with_its_related_ones() {
    let office = office().await;
    let body = json!({"customer": "Dan", "lines": [line(1, "x"), line(2, "y")]});
    let created = office.clerk.post("/invoices", body).await.expect(201);
    let location = created.header("location").to_owned();
    let created = created.json();
    assert_eq!(created["customer"], "Dan");
    let lines = created["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2);
    for (line, code) in lines.iter().zip(["x", "y"]) {
        assert_eq!(line["code"], code);
        assert_eq!(line["invoiceId"], created["id"]);
        assert_eq!(line["enteredBy"], 1);
    }
    let read = office
        .clerk
        .get(&format!("{location}?expand=lines"))
        .await
        .expect(200)
        .json();
    assert_eq!(read, created);
    let without = office
        .clerk
        .post("/invoices", json!({"customer": "Eve"}))
        .await
        .expect(201)
        .json();
    assert!(without.get("lines").is_none());
    let none = json!({"customer": "Eve", "lines": []});
    assert_eq!(
        office.clerk.post("/invoices", none).await.expect(201).json()["lines"],
        json!([])
    );
}

/// NST-1: the reply honours `fields` and `expand`.
#[tokio::test]
async fn the_reply_has_the_selected_fields() {
    let office = office().await;
    let body = json!({"customer": "Dan", "lines": [line(1, "x")]});
    let url = "/invoices?fields=customer,lines.code&expand=lines";
    let created = office.clerk.post(url, body).await.expect(201);
    created.expect_json(201, json!({"customer": "Dan", "lines": [{"code": "x"}]}));
}

/// NST-2: a put replaces the related objects: those with a key are changed, those without one are new, and the others are
/// removed.
#[tokio::test]
async fn a_put_replaces_the_related_objects() {
    let office = office().await;
    let kept = json!({"id": 1001, "quantity": 7, "code": "b"});
    let body = json!({"customer": "Ann", "isSent": false, "lines": [kept, line(3, "new")]});
    let replaced = office.clerk.put("/invoices/100", body).await.expect(200).json();
    assert_eq!(replaced["lines"].as_array().unwrap().len(), 2);
    assert_eq!(
        lines(&office.clerk, 100).await,
        [(7, "b".to_owned()), (3, "new".to_owned())]
    );
    office.clerk.get("/lines/1000").await.expect(404);
    let without = json!({"customer": "Ann B.", "isSent": false});
    office.clerk.put("/invoices/100", without).await.expect(200);
    assert_eq!(lines(&office.clerk, 100).await.len(), 2);
    office
        .clerk
        .patch("/invoices/100", json!({"lines": []}))
        .await
        .expect(200);
    assert_eq!(lines(&office.clerk, 100).await, []);
}

/// NST-3: a patch adds, changes and removes related objects by their keys.
#[tokio::test]
async fn a_patch_changes_some_related_objects() {
    let office = office().await;
    let changes = json!({"add": [line(5, "new")], "update": [{"id": 1000, "quantity": 9}], "remove": [1001]});
    let patched = office
        .clerk
        .patch("/invoices/100", json!({"lines": changes}))
        .await
        .expect(200)
        .json();
    assert_eq!(patched["lines"].as_array().unwrap().len(), 2);
    assert_eq!(
        lines(&office.clerk, 100).await,
        [(9, "a".to_owned()), (5, "new".to_owned())]
    );
}

/// NST-10: the version of an object is also that of its related ones, as far as they are written with it.
#[tokio::test]
async fn a_change_of_related_objects_is_a_new_version() {
    let office = office().await;
    let tag = office
        .clerk
        .get("/invoices/100")
        .await
        .expect(200)
        .header("etag")
        .to_owned();
    let change = json!({"lines": {"remove": [1000]}});
    let patched = office.clerk.patch("/invoices/100", change).await.expect(200);
    let newer = patched.header("etag").to_owned();
    assert_ne!(newer, tag);
    assert_eq!(patched.json()["version"], 2);
    let change = json!({"lines": {"remove": [1001]}});
    let stale = office.clerk.with_header("if-match", &tag);
    stale.patch("/invoices/100", change.clone()).await.expect(412);
    assert_eq!(lines(&office.clerk, 100).await.len(), 1);
    let same = json!({"lines": {"update": [{"id": 1001, "quantity": 2}]}});
    let unchanged = office.clerk.patch("/invoices/100", same).await.expect(200);
    assert_eq!(unchanged.header("etag"), newer);
    let fresh = office.clerk.with_header("if-match", &newer);
    fresh.patch("/invoices/100", change).await.expect(200);
    assert_eq!(lines(&office.clerk, 100).await, []);
}

/// NST-4: errors are reported by their path, all at once, and nothing is written.
#[tokio::test]
async fn errors_of_related_objects_are_reported_by_their_path() {
    let office = office().await;
    let before = office.app.database().rows();
    let body = json!({"customer": "Dan", "lines": [line(1, "x"), line(0, "y"), {"code": "z", "nope": 1}]});
    let errors = office.clerk.post("/invoices", body).await.expect(400).json();
    let lines = &errors["errors"]["lines"];
    assert!(lines["1"]["quantity"].is_array(), "{errors}");
    assert!(
        lines["2"]["quantity"].is_array() && lines["2"]["nope"].is_array(),
        "{errors}"
    );
    assert!(lines.get("0").is_none(), "{errors}");

    // Violations that only the database knows.
    let body = json!({"customer": "Dan", "lines": [line(1, "x"), line(1, "a")]});
    let errors = office.clerk.post("/invoices", body).await.expect(400).json();
    assert!(errors["errors"]["lines"]["1"]["code"].is_array(), "{errors}");
    let changes = json!({"update": [{"id": 1000, "code": "b"}]});
    let errors = office
        .clerk
        .patch("/invoices/100", json!({"lines": changes}))
        .await
        .expect(400)
        .json();
    assert!(
        errors["errors"]["lines"]["update"]["0"]["code"].is_array(),
        "{errors}"
    );

    for lines in [
        json!("x"),
        json!(1),
        json!(null),
        json!([1]),
        json!({"add": [line(1, "x")]}),
    ] {
        office
            .clerk
            .post("/invoices", json!({"customer": "Dan", "lines": lines}))
            .await
            .expect(400);
    }
    for lines in [
        json!({"nope": []}),
        json!({"add": 1}),
        json!({"update": [line(1, "x")]}),
        json!({"remove": ["x"]}),
    ] {
        office
            .clerk
            .patch("/invoices/100", json!({"lines": lines}))
            .await
            .expect(400);
    }
    let many: Vec<Value> = (0..1001)
        .map(|number| line(1, &format!("many {number}")))
        .collect();
    office
        .clerk
        .post("/invoices", json!({"customer": "Dan", "lines": many}))
        .await
        .expect(400);
    assert_eq!(office.app.database().rows(), before);
}
