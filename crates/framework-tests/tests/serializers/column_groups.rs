//! Groups of columns that models share: `#[column(flatten)]`.

use model_resource::{
    Api, Caller, Columns, Draft, Model, ModelPolicy, ModelSerializer, SqlDialect, Timestamp, Where,
    model_resource, serializer,
};
use serde_json::json;
use test_support::TestApp;

use super::expect_error;

/// Types that the models do not import are known to the groups alone.
mod shared {
    use model_resource::{ColumnGroup, Date, Timestamp};

    #[derive(Debug, Clone, ColumnGroup)]
    pub(crate) struct Base {
        #[column(primary_key)]
        pub(crate) id: i64,
        /// Time of the first save.
        #[column(created)]
        pub(crate) created_at: Timestamp,
        #[column(updated)]
        pub(crate) updated_at: Timestamp,
    }

    #[derive(Debug, Clone, ColumnGroup)]
    pub(crate) struct Period {
        pub(crate) starts: Date,
        #[column(json = "until", name = "ends_on")]
        pub(crate) ends: Option<Date>,
    }
}

use shared::Base;

/// A model whose first field is a group. Clippy warns of nothing in its expansion.
#[derive(Debug, Clone, Model)]
#[model(table = "stamps")]
struct Stamp {
    #[column(flatten)]
    base: Base,
    motif: String,
    value: Option<i32>,
}

#[derive(Debug, Clone, Model)]
#[model(
    unique(starts, reader),
    index(created_at desc),
    check(ends_after_start = Self::ENDS.is_null().or(Self::ENDS.gt_field(Self::STARTS)))
)]
struct Loan {
    #[column(min_length = 1)]
    reader: String,
    #[column(flatten)]
    base: Base,
    #[column(default = 0)]
    fee: i32,
    #[column(flatten)]
    period: shared::Period,
    #[column(slug(from = reader))]
    slug: String,
}

#[derive(Debug, Clone, Model)]
#[model(
    table = "loans",
    unique(starts, reader),
    index(created_at desc),
    check(ends_after_start = Self::ENDS.is_null().or(Self::ENDS.gt_field(Self::STARTS)))
)]
struct PlainLoan {
    #[column(min_length = 1)]
    reader: String,
    #[column(primary_key)]
    id: i64,
    /// Time of the first save.
    #[column(created)]
    created_at: Timestamp,
    #[column(updated)]
    updated_at: Timestamp,
    #[column(default = 0)]
    fee: i32,
    starts: model_resource::Date,
    #[column(json = "until", name = "ends_on")]
    ends: Option<model_resource::Date>,
    #[column(slug(from = reader))]
    slug: String,
}

struct LoanSerializer;

#[serializer]
impl ModelSerializer for LoanSerializer {
    type Model = Loan;
    const EXCLUDE: Columns<Loan> = Columns::of(Loan::UPDATED_AT);
}

struct LoanPolicy;

impl ModelPolicy for LoanPolicy {
    type Model = Loan;

    fn visible(_: &Caller) -> Where<Loan> {
        Loan::ID.lt(100)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn updatable(_: &Caller) -> Where<Loan> {
        Loan::CREATED_AT.lte(model_resource::now())
    }
}

#[model_resource(Loan, "/loans", "/loans/<int:id>", serializer = LoanSerializer, policy = LoanPolicy)]
struct LoanResource;

/// MOD-13: a model with groups has the table of a model with the same columns.
#[test]
fn a_model_with_groups_has_the_table_of_a_model_with_the_same_columns() {
    for dialect in [SqlDialect::Sqlite, SqlDialect::Postgres] {
        assert_eq!(
            dialect.create_table_sql(Loan::table()),
            dialect.create_table_sql(PlainLoan::table())
        );
    }
    let of = |table: &'static model_resource::Table| format!("{:#?}", table.columns);
    assert_eq!(of(Loan::table()), of(PlainLoan::table()));
    assert_eq!(Loan::ENDS.column().wire_name(), "until");
    assert_eq!(Loan::FEE.position(), PlainLoan::FEE.position());
}

/// MOD-13: serializers, filters, constraints, policies and drafts use the columns of groups like other columns.
#[tokio::test]
async fn the_columns_of_groups_are_used_like_other_columns() {
    let app = TestApp::with_api(Api::new("api").model_resource::<LoanResource>()).await;
    let made = app
        .post("/loans", json!({"reader": "Ann B", "starts": "2026-01-02"}))
        .await;
    let made = made.expect(201).json();
    let names: Vec<&String> = made.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["reader", "id", "createdAt", "fee", "starts", "until", "slug"]
    );
    assert_eq!((&made["id"], &made["slug"]), (&json!(1), &json!("ann-b")));
    let before = app.database().rows();
    expect_error(
        app.post("/loans", json!({"reader": "Cy"})).await,
        "starts",
        "Starts is required.",
    );
    app.patch("/loans/1", json!({"until": "2026-01-01"}))
        .await
        .expect(400);
    app.post("/loans", json!({"reader": "Ann B", "starts": "2026-01-02"}))
        .await
        .expect(400);
    assert_eq!(app.database().rows(), before);
    app.patch("/loans/1", json!({"until": "2026-01-09"}))
        .await
        .expect(200);
    let found = app
        .get("/loans?until[gt]=2026-01-08&sort=-createdAt")
        .await
        .expect(200);
    assert_eq!(found.json().as_array().map(Vec::len), Some(1));

    let loan: Loan = app.store.get(1_i64).await.unwrap().unwrap();
    assert_eq!(
        (loan.base.id, loan.fee, loan.period.starts.to_string()),
        (1, 0, "2026-01-02".to_owned())
    );
    let draft = Draft::of(&loan).with(Loan::ENDS, None);
    let loan = app.store.save(draft).await.unwrap();
    assert!(loan.period.ends.is_none() && loan.base.updated_at > loan.base.created_at);
    let hidden = Draft::new()
        .with(Loan::ID, 100)
        .with(Loan::READER, "Cy".to_owned())
        .with(Loan::STARTS, loan.period.starts);
    app.store.create(hidden).await.unwrap();
    app.get("/loans/100").await.expect(404);
}

/// MOD-13: a group may come first.
#[test]
fn a_model_may_begin_with_a_group() {
    let names: Vec<&str> = Stamp::table().columns.iter().map(|column| column.name).collect();
    assert_eq!(names, ["id", "created_at", "updated_at", "motif", "value"]);
    assert_eq!(Stamp::MOTIF.position(), 3);
    let draft = Draft::new()
        .with(Stamp::MOTIF, "owl")
        .with(Stamp::VALUE, 90)
        .with(Stamp::ID, 1)
        .with(Stamp::CREATED_AT, Timestamp::UNIX_EPOCH)
        .with(Stamp::UPDATED_AT, Timestamp::UNIX_EPOCH);
    let stamp: Stamp = draft.instance().expect("all columns are set");
    assert_eq!(
        (stamp.base.id, stamp.motif.as_str(), stamp.value),
        (1, "owl", Some(90))
    );
}
