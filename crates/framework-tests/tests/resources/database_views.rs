//! Read-only models over views of the database: `#[model(view)]`.

use axum::Router;
use model_resource::{
    Api, Caller, Columns, Context, GET, LIST, Model, ModelPolicy, ModelResource, ModelSerializer, Operations,
    Reply, Result, SerializerFields, Server, SqlDialect, Store, Where, model_resource, route, serializer,
};
use serde_json::{Value, json};
use test_support::{TestApp, TestDatabase, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "branches")]
struct Branch {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
struct Loan {
    #[column(primary_key)]
    id: i64,
    #[column(references = Branch)]
    branch_id: i64,
    fee: i32,
}

/// Loans of a branch.
#[derive(Debug, Clone, Model)]
#[model(view, table = "branch_totals")]
struct BranchTotal {
    #[column(primary_key)]
    number: i64,
    #[column(references = Branch)]
    branch_id: i64,
    loans: i64,
    fees: Option<i64>,
}

const VIEW: &str = "CREATE VIEW branch_totals AS
    SELECT b.id + 100 AS number, b.id AS branch_id, count(l.id) AS loans, sum(l.fee) AS fees
    FROM branches b LEFT JOIN loans l ON l.branch_id = b.id GROUP BY b.id;";

struct TotalSerializer;

#[serializer]
impl ModelSerializer for TotalSerializer {
    type Model = BranchTotal;

    fn fields(fields: SerializerFields<BranchTotal>) -> SerializerFields<BranchTotal> {
        fields.belongs_to::<BranchSerializer>("branch", BranchTotal::BRANCH_ID)
    }
}

struct BranchSerializer;

#[serializer]
impl ModelSerializer for BranchSerializer {
    type Model = Branch;

    fn fields(fields: SerializerFields<Branch>) -> SerializerFields<Branch> {
        fields.has_many::<TotalSerializer>("totals", BranchTotal::BRANCH_ID)
    }
}

struct TotalPolicy;

impl ModelPolicy for TotalPolicy {
    type Model = BranchTotal;

    fn visible(_: &Caller) -> Where<BranchTotal> {
        BranchTotal::LOANS.lt(100)
    }
}

struct TotalResource;

#[model_resource(BranchTotal, "/totals", "/totals/<int:id>", serializer = TotalSerializer, policy = TotalPolicy)]
impl ModelResource for TotalResource {
    const INCLUDE_METHODS: Operations = Operations::of([GET, LIST]);
    const AGGREGATE: Columns<BranchTotal> = Columns::of(BranchTotal::LOANS);
}

#[model_resource(Branch, "/branches", "/branches/<int:id>", methods = [GET], serializer = BranchSerializer)]
struct BranchResource;

/// Number of loans, read in a transaction.
#[route("/loans-of/<int:number>")]
async fn loans_in_a_transaction(mut cx: Context) -> Result<Reply> {
    cx.begin().await?;
    let total: Option<BranchTotal> = cx.find(cx.param::<i64>("number")?).await?;
    Reply::json(&total.map(|total| total.loans))
}

fn api() -> Api {
    Api::new("api")
        .route(loans_in_a_transaction)
        .model_resource::<TotalResource>()
        .model_resource::<BranchResource>()
}

async fn app() -> TestApp {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    store
        .create_tables(&[Branch::table(), Loan::table()])
        .await
        .unwrap();
    database.execute(VIEW);
    database.execute(
        "INSERT INTO branches (name) VALUES ('North'), ('South'), ('West');
         INSERT INTO loans (branch_id, fee) VALUES (1, 5), (1, 7), (1, 0), (2, 4);",
    );
    // The view is neither created nor changed.
    store.create_tables(&api().tables()).await.unwrap();
    let app = api().store(store.clone()).init_app(Router::new());
    TestApp::serve(database, store, app, Server::default()).await
}

/// MOD-15: a view is listed, filtered, sorted, paged, aggregated and related like a table, under the policy of its model.
#[tokio::test]
async fn a_view_is_read_like_a_table() {
    let app = app().await;
    let north = json!({"number": 101, "branchId": 1, "loans": 3, "fees": 12});
    app.get("/totals/101").await.expect_json(200, north.clone());
    app.get("/totals/1").await.expect(404);
    app.get("/loans-of/101").await.expect_json(200, json!(3));
    app.get("/totals?loans[gte]=2")
        .await
        .expect_json(200, json!([north]));
    let numbers = async |url: &str| -> Vec<Value> {
        let list = app.get(url).await.expect(200).json();
        list.as_array()
            .unwrap()
            .iter()
            .map(|total| total["number"].clone())
            .collect()
    };
    assert_eq!(numbers("/totals?sort=loans").await, [103, 102, 101]);
    assert_eq!(numbers("/totals?limit=2&offset=1").await, [102, 103]);
    assert_eq!(numbers("/totals?fees[isnull]=true").await, [103]);
    assert_eq!(numbers("/totals?branch.name=South").await, [102]);
    let sums = app.get("/totals?sum(loans)&count").await.expect(200).json();
    assert_eq!(sums, json!([{"count": 3, "loansSum": 4}]));
    let branch = app.get("/totals/102?expand=branch").await.expect(200).json();
    assert_eq!(branch["branch"], json!({"id": 2, "name": "South"}));
    let branch = app.get("/branches/2?expand=totals").await.expect(200).json();
    assert_eq!(branch["totals"][0]["loans"], 1);

    app.database().execute(&format!(
        "INSERT INTO loans (branch_id, fee) VALUES {};",
        vec!["(2, 1)"; 100].join(", ")
    ));
    app.get("/totals/102").await.expect(404);
    assert_eq!(numbers("/totals").await, [101, 103]);
    let branch = app.get("/branches/2?expand=totals").await.expect(200).json();
    assert_eq!(branch["totals"], json!([]));
}

/// MOD-15: nothing writes to a view.
#[tokio::test]
async fn nothing_writes_to_a_view() {
    let app = app().await;
    let before = app.database().rows();
    app.post("/totals", json!({"branchId": 1, "loans": 1}))
        .await
        .expect(405);
    app.patch("/totals/101", json!({"loans": 1})).await.expect(405);
    app.delete("/totals/101").await.expect(405);
    assert_eq!(app.database().rows(), before);
    for dialect in [SqlDialect::Sqlite, SqlDialect::Postgres] {
        assert_eq!(dialect.create_table_sql(BranchTotal::table()), "");
    }
}

#[model_resource(BranchTotal, "/written-totals", "/written-totals/<int:id>")]
struct WrittenResource;

struct NestingSerializer;

#[serializer]
impl ModelSerializer for NestingSerializer {
    type Model = Branch;

    fn fields(fields: SerializerFields<Branch>) -> SerializerFields<Branch> {
        fields
            .has_many::<TotalSerializer>("totals", BranchTotal::BRANCH_ID)
            .writable("totals")
    }
}

#[model_resource(Branch, "/branches", serializer = NestingSerializer)]
struct NestingResource;

/// MOD-15: a resource that writes a view, and a relation through which it would be written, are rejected at startup.
#[tokio::test]
async fn writes_of_a_view_are_rejected_at_startup() {
    let mistakes = startup_errors(Api::new("api").model_resource::<WrittenResource>()).await;
    assert!(
        mistakes[0].contains("BranchTotal is a view") && mistakes[0].contains("INCLUDE_METHODS"),
        "{mistakes:?}"
    );
    let mistakes = startup_errors(Api::new("api").model_resource::<NestingResource>()).await;
    assert!(mistakes[0].contains("leads to a view"), "{mistakes:?}");
}

#[derive(Debug, Clone, Model)]
struct Report {
    #[column(primary_key)]
    id: i64,
    #[column(references = BranchTotal)]
    total_id: i64,
}

#[derive(Debug, Clone, Model)]
#[model(view, table = "branch_totals")]
struct WiderTotal {
    #[column(primary_key)]
    number: i64,
    branch_name: String,
}

/// MOD-15: rejected at startup: a view that does not exist or lacks a column, and a foreign key of a table to a view.
#[tokio::test]
async fn a_view_that_does_not_fit_is_rejected_at_startup() {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    let tables = [Branch::table(), Loan::table(), BranchTotal::table()];
    let missing = store.create_tables(&tables).await.unwrap_err().to_string();
    assert!(
        missing.contains(
            "view `branch_totals` of model BranchTotal does not exist (create it by `CREATE VIEW`)"
        ),
        "{missing}"
    );
    database.execute(VIEW);
    store.verify(&tables).await.unwrap();
    let lacking = store
        .verify(&[WiderTotal::table()])
        .await
        .unwrap_err()
        .to_string();
    assert!(lacking.contains("has no column `branch_name`"), "{lacking}");
    let referencing = store.verify(&[Report::table()]).await.unwrap_err().to_string();
    assert!(referencing.contains("remove `references`"), "{referencing}");
}
