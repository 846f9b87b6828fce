//! Tables in schemas of PostgreSQL: `#[model(schema = "..")]`.

use http::Method;
use model_resource::{
    Api, CREATE, Columns, Model, ModelResource, ModelSerializer, Operations, PATCH, SerializerFields, Sql,
    SqlDialect, Store, Timestamp, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{TestApp, TestDatabase};

#[derive(Debug, Clone, Model)]
#[model(
    schema = "crm",
    table = "customers",
    unique(name, where = Customer::DELETED_AT.is_null(), name = "one_name"),
    index(city desc),
    check(named = Customer::NAME.ne(""))
)]
struct Customer {
    id: i64,
    name: String,
    city: Option<String>,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

/// Table of the same name in another schema, with equal names of its indexes and constraints.
#[derive(Debug, Clone, Model)]
#[model(
    schema = "sales",
    table = "customers",
    unique(customer_id, balance, name = "one_name"),
    index(balance desc)
)]
struct Account {
    id: i64,
    #[column(references = Customer)]
    customer_id: i64,
    #[column(unique)]
    code: String,
    #[column(default = 0)]
    balance: i32,
}

/// Table of the same name without a schema, which PostgreSQL finds by the search path.
#[derive(Debug, Clone, Model)]
#[model(table = "customers")]
struct Label {
    id: i64,
    #[column(unique)]
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(schema = "crm", table = "customer_labels", unique(customer_id, label_id))]
struct CustomerLabel {
    id: i64,
    #[column(references = Customer, on_delete = cascade)]
    customer_id: i64,
    #[column(references = Label, on_delete = cascade)]
    label_id: i64,
}

struct LabelSerializer;

#[serializer]
impl ModelSerializer for LabelSerializer {
    type Model = Label;

    fn fields(fields: SerializerFields<Label>) -> SerializerFields<Label> {
        fields.many_to_many::<CustomerSerializer>(
            "customers",
            CustomerLabel::LABEL_ID,
            CustomerLabel::CUSTOMER_ID,
        )
    }
}

struct AccountSerializer;

#[serializer]
impl ModelSerializer for AccountSerializer {
    type Model = Account;

    fn fields(fields: SerializerFields<Account>) -> SerializerFields<Account> {
        fields.belongs_to::<CustomerSerializer>("customer", Account::CUSTOMER_ID)
    }
}

struct CustomerSerializer;

#[serializer]
impl ModelSerializer for CustomerSerializer {
    type Model = Customer;

    fn fields(fields: SerializerFields<Customer>) -> SerializerFields<Customer> {
        fields
            .has_many::<AccountSerializer>("accounts", Account::CUSTOMER_ID)
            .many_to_many::<LabelSerializer>("labels", CustomerLabel::CUSTOMER_ID, CustomerLabel::LABEL_ID)
    }
}

struct CustomerResource;

#[model_resource(Customer, "/customers", "/customers/<int:id>", serializer = CustomerSerializer)]
impl ModelResource for CustomerResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
    const AGGREGATE: Columns<Customer> = Columns::of(Customer::CITY);
}

struct AccountResource;

#[model_resource(
    Account,
    "/accounts",
    "/accounts/<int:id>",
    "/customers/<int:customer_id>/accounts",
    serializer = AccountSerializer
)]
impl ModelResource for AccountResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
    const AGGREGATE: Columns<Account> = Columns::of(Account::BALANCE).and(Account::CUSTOMER_ID);
}

#[model_resource(Label, "/labels", "/labels/<int:id>", serializer = LabelSerializer)]
struct LabelResource;

fn api() -> Api {
    Api::new("api")
        .model_resource::<CustomerResource>()
        .model_resource::<AccountResource>()
        .model_resource::<LabelResource>()
}

/// Starts the api with the customers Ada and Bob, three accounts and two labels.
async fn app() -> TestApp {
    let app = TestApp::with_api(api()).await;
    let customers = json!([{"name": "Ada", "city": "Ulm"}, {"name": "Bob", "city": "Bonn"}]);
    app.post("/customers", customers).await.expect(201);
    for (customer, code, balance) in [(1, "a", 5), (1, "b", 7), (2, "c", 1)] {
        let account = json!({"code": code, "balance": balance});
        app.post(&format!("/customers/{customer}/accounts"), account)
            .await
            .expect(201);
    }
    for name in ["new", "old"] {
        app.post("/labels", json!({"name": name})).await.expect(201);
    }
    let join = app.store.dialect().table_name(CustomerLabel::table());
    let sql = format!("INSERT INTO {join} (customer_id, label_id) VALUES (1, 1), (1, 2), (2, 2)");
    app.database().execute(&sql);
    app
}

/// Ids of the objects of a list.
async fn ids(app: &TestApp, url: &str) -> Vec<Value> {
    let list = app.get(url).await.expect(200).json();
    let objects = list.as_array().unwrap().iter();
    objects.map(|object| object["id"].clone()).collect()
}

/// MOD-32: tables of one name in several schemas are listed, filtered, sorted, related and aggregated apart.
#[tokio::test]
async fn tables_of_one_name_in_several_schemas_are_read_apart() {
    let app = app().await;
    let ada = json!({"id": 1, "name": "Ada", "city": "Ulm", "deletedAt": null});
    app.get("/customers/1").await.expect_json(200, ada.clone());
    let account = json!({"id": 3, "customerId": 2, "code": "c", "balance": 1});
    app.get("/accounts/3").await.expect_json(200, account);
    app.get("/accounts/1?expand=customer&fields=id,customer")
        .await
        .expect_json(200, json!({"id": 1, "customer": ada}));
    let labels = app
        .get("/customers/1?expand=accounts,labels")
        .await
        .expect(200)
        .json();
    assert_eq!(labels["accounts"][1]["code"], "b");
    assert_eq!(
        labels["labels"],
        json!([{"id": 1, "name": "new"}, {"id": 2, "name": "old"}])
    );
    let customers = app.get("/labels/2?expand=customers").await.expect(200).json();
    assert_eq!(customers["customers"][1]["name"], "Bob");

    assert_eq!(ids(&app, "/customers?accounts.code=c").await, [2]);
    assert_eq!(ids(&app, "/customers?labels.name=new").await, [1]);
    assert_eq!(ids(&app, "/labels?customers.city=Bonn").await, [2]);
    assert_eq!(
        ids(&app, "/accounts?customer.name=Ada&sort=-balance").await,
        [2, 1]
    );
    assert_eq!(
        ids(&app, "/accounts?sort=customer.city,-code&limit=2").await,
        [3, 2]
    );
    assert_eq!(ids(&app, "/customers/1/accounts").await, [1, 2]);
    let sums = app
        .get("/accounts?group=customerId&sum(balance)&count")
        .await
        .expect(200)
        .json();
    let expected = json!([
        {"customerId": 1, "balanceSum": 12, "count": 2},
        {"customerId": 2, "balanceSum": 1, "count": 1},
    ]);
    assert_eq!(sums, expected);
}

/// MOD-32: rows are written by every kind of request, and the constraints of a table in a schema are errors of its
/// fields.
#[tokio::test]
async fn violated_constraints_of_a_schema_are_errors_of_fields() {
    let app = app().await;
    let before = app.store.count(Account::query()).await.unwrap();
    let errors =
        async |path: &str, body: Value| app.post(path, body).await.expect(400).json()["errors"].clone();
    let taken = errors("/accounts", json!({"customerId": 1, "code": "a"})).await;
    assert_eq!(taken, json!({"code": ["Code is already taken."]}));
    let missing = errors("/accounts", json!({"customerId": 9, "code": "z"})).await;
    assert_eq!(missing, json!({"customerId": ["Customer Id does not exist."]}));
    let taken = errors("/customers", json!({"name": "Bob"})).await;
    assert_eq!(taken, json!({"name": ["Name is already taken."]}));
    let unnamed = errors("/customers", json!({"name": ""})).await;
    assert_eq!(unnamed.as_object().unwrap().keys().collect::<Vec<_>>(), ["name"]);
    assert_eq!(app.store.count(Account::query()).await.unwrap(), before);

    let csv = "name,city\nCleo,Kiel\nDan,\n";
    app.send(Method::POST, "/customers", Some(("text/csv", csv.into())))
        .await
        .expect(201);
    let csv = "name,city\nEve,Kiel\nAda,\n";
    app.send(Method::POST, "/customers", Some(("text/csv", csv.into())))
        .await
        .expect(400);
    assert_eq!(ids(&app, "/customers").await.len(), 4);
    // The database may skip numbers of rejected rows.
    let (cleo, dan) = (
        ids(&app, "/customers?name=Cleo").await[0].clone(),
        ids(&app, "/customers?name=Dan").await[0].clone(),
    );
    let changes = json!([{"id": 1, "city": "Rom"}, {"id": cleo, "city": "Rom"}]);
    app.patch("/customers", changes).await.expect(200);
    assert_eq!(ids(&app, "/customers?city=Rom").await, [json!(1), cleo]);
    app.patch(&format!("/customers/{dan}"), json!({"name": "Dora"}))
        .await
        .expect(200);
    app.put(
        "/accounts/3",
        json!({"customerId": dan, "code": "c", "balance": 2}),
    )
    .await
    .expect(200);
    assert_eq!(ids(&app, "/accounts?customer.name=Dora").await, [3]);
}

/// MOD-32: rows of a schema are deleted and soft-deleted.
#[tokio::test]
async fn rows_of_a_schema_are_deleted() {
    let app = app().await;
    app.delete("/customers/2").await.expect(204);
    app.get("/customers/2").await.expect(404);
    app.post("/customers", json!({"name": "Bob"})).await.expect(201);
    app.delete("/accounts/1").await.expect(204);
    assert_eq!(ids(&app, "/accounts").await, [2, 3]);
    app.delete("/labels/2").await.expect(204);
    assert_eq!(app.store.count(CustomerLabel::query()).await.unwrap(), 1);
}

/// MOD-32: tables that exist in a schema are served as they are, and differences are reported by their whole names.
#[tokio::test]
async fn existing_tables_of_a_schema_are_verified() {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    let missing = store.verify(&[Customer::table()]).await.unwrap_err().to_string();
    assert!(
        missing.contains("table `crm.customers` of model Customer does not exist"),
        "{missing}"
    );
    let tables = api().tables();
    store.create_tables(&tables).await.unwrap();
    store.create_tables(&tables).await.unwrap();
    store.verify(&tables).await.unwrap();

    let (customers, accounts) = (
        store.dialect().table_name(Customer::table()),
        store.dialect().table_name(Account::table()),
    );
    let prefix = match store.dialect() {
        SqlDialect::Sqlite => "\"sales.one_name\"",
        SqlDialect::Postgres => "\"sales\".\"one_name\"",
    };
    database.execute(&format!(
        "DROP INDEX {prefix}; ALTER TABLE {customers} RENAME COLUMN city TO town"
    ));
    let found = store.verify(&tables).await.unwrap_err().to_string();
    assert!(
        found.contains("table `crm.customers` of model Customer has no column `city`"),
        "{found}"
    );
    assert!(found.contains(&format!("ON {accounts} (")), "{found}");
}

/// MOD-32: handwritten SQL names the table in the dialect of the database.
#[tokio::test]
async fn handwritten_sql_names_tables_of_schemas() {
    let app = app().await;
    let table = app.store.dialect().table_name(Account::table());
    let sql = Sql::new(format!("SELECT code FROM {table} WHERE balance > $1")).bind(5);
    let rows = app.store.fetch(sql).await.unwrap();
    let codes: Vec<String> = rows.iter().map(|row| row.get("code").unwrap()).collect();
    assert_eq!(codes, ["b"]);
}
