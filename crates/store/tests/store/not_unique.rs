//! Columns that are unique in the model but not in the database.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_store::{Migration, Migrations, Sql, SqlDialect, Store};

use crate::database::{failure, on};

static PAGES: Table = Table::new(
    "pages",
    "Page",
    &[
        Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
        Column::new("slug", DataType::Text).unique(),
        Column::new("title", DataType::Text),
    ],
);

static CODES: Table = Table::new(
    "codes",
    "Code",
    &[
        Column::new("code", DataType::Text).role(ColumnRole::PrimaryKey(KeyGeneration::Client)),
        Column::new("site", DataType::I64),
    ],
);

/// Creates the table by hand, with further lines in it and statements after it.
async fn pages(store: &Store, lines: &str, statements: &str) {
    let key = match store.dialect() {
        SqlDialect::Sqlite => "INTEGER PRIMARY KEY",
        SqlDialect::Postgres => "bigserial PRIMARY KEY",
    };
    let sql = format!(
        "CREATE TABLE pages (id {key}, slug TEXT NOT NULL, title TEXT NOT NULL{lines}); {statements}"
    );
    run(store, &sql).await;
}

async fn run(store: &Store, sql: &str) {
    let migration = Migration::new(1, "by_hand", sql.to_owned());
    store.migrate(&Migrations::new([migration])).await.unwrap();
}

macro_rules! content_with {
    ($($name:ident: $lines:literal, $statements:literal;)*) => { $(
        on!($name: in_memory, postgres);
        async fn $name(store: Store) {
            pages(&store, $lines, $statements).await;
            store.verify(&[&PAGES]).await.unwrap();
        }
    )* };
}

content_with! {
    verify_is_content_with_a_unique_constraint: ", UNIQUE (slug)", "";
    verify_is_content_with_a_unique_index: "", "CREATE UNIQUE INDEX pages_slug ON pages (slug);";
    verify_is_content_with_one_unique_index_of_several:
        "", "CREATE INDEX a ON pages (slug); CREATE UNIQUE INDEX b ON pages (slug, title); CREATE UNIQUE INDEX c ON pages (slug);";
}

macro_rules! refused {
    ($($name:ident: $lines:literal, $statements:literal;)*) => { $(
        on!($name: in_memory, postgres);
        async fn $name(store: Store) {
            pages(&store, $lines, $statements).await;
            let cause = failure(store.verify(&[&PAGES]).await);
            for part in [
                "`slug`", "`pages`", "Page", "two rows share a value",
                "CREATE UNIQUE INDEX \"pages_slug_unique\" ON \"pages\" (\"slug\")", "add a migration",
            ] {
                assert!(cause.contains(part), "{part} is not in: {cause}");
            }
            assert!(!cause.contains("`id`") && !cause.contains("`title`"), "{cause}");
        }
    )* };
}

refused! {
    verify_refuses_a_unique_column_without_an_index: "", "";
    verify_refuses_an_index_that_is_not_unique: "", "CREATE INDEX pages_slug ON pages (slug);";
    verify_refuses_a_partial_index: "", "CREATE UNIQUE INDEX pages_slug ON pages (slug) WHERE title = 'x';";
    verify_refuses_an_index_on_more_columns: ", UNIQUE (slug, title)", "";
    verify_refuses_an_index_on_an_expression: "", "CREATE UNIQUE INDEX pages_slug ON pages (lower(slug));";
}

on!(verify_rejects_a_composite_primary_key: in_memory, postgres);
async fn verify_rejects_a_composite_primary_key(store: Store) {
    run(
        &store,
        "CREATE TABLE codes (code TEXT NOT NULL, site INTEGER NOT NULL, PRIMARY KEY (code, site));",
    )
    .await;
    let cause = failure(store.verify(&[&CODES]).await);
    assert!(
        cause.contains("`code`") && cause.contains("the primary key"),
        "{cause}"
    );
}

on!(the_remedy_that_verify_names_works: in_memory, postgres);
async fn the_remedy_that_verify_names_works(store: Store) {
    pages(&store, "", "").await;
    let cause = failure(store.verify(&[&PAGES]).await);
    let remedy = cause
        .split('`')
        .find(|part| part.starts_with("CREATE UNIQUE INDEX"));
    store.execute(Sql::new(remedy.unwrap().to_owned())).await.unwrap();
    store.verify(&[&PAGES]).await.unwrap();
}

on!(a_view_is_trusted: in_memory, postgres);
async fn a_view_is_trusted(store: Store) {
    run(
        &store,
        "CREATE TABLE sheets (code TEXT PRIMARY KEY, site INTEGER); CREATE VIEW codes AS SELECT code, site FROM sheets;",
    )
    .await;
    store.verify(&[&CODES]).await.unwrap();
}
