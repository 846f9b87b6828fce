//! Required columns that no model fills.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_store::{Migration, Migrations, SqlDialect, Store};

use crate::database::{failure, on};

static TITLES: Table = Table::new(
    "books",
    "Title",
    &[
        Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
        Column::new("title", DataType::Text),
    ],
);

/// Another model of the same table.
static BOOKS: Table = Table::new(
    "books",
    "Book",
    &[
        Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
        Column::new("title", DataType::Text),
        Column::new("shelf", DataType::Text),
    ],
);

async fn run(store: &Store, sql: &str) {
    let migration = Migration::new(1, "by_hand", sql.to_owned());
    store.migrate(&Migrations::new([migration])).await.unwrap();
}

on!(a_column_is_filled_if_any_model_of_its_table_fills_it: in_memory, postgres);
async fn a_column_is_filled_if_any_model_of_its_table_fills_it(store: Store) {
    store.create_tables(&[&BOOKS]).await.unwrap();
    store.verify(&[&TITLES, &BOOKS]).await.unwrap();
    let cause = failure(store.verify(&[&TITLES]).await);
    for part in ["`shelf`", "`books`", "add it to model Title", "add a migration"] {
        assert!(cause.contains(part), "{part} is not in: {cause}");
    }
    assert_eq!(failure(store.verify(&[&TITLES, &TITLES]).await), cause);
}

on!(columns_that_the_database_fills_are_not_required: in_memory, postgres);
async fn columns_that_the_database_fills_are_not_required(store: Store) {
    let sql = match store.dialect() {
        SqlDialect::Sqlite => {
            "CREATE TABLE books (id INTEGER PRIMARY KEY NOT NULL, title TEXT NOT NULL, made TEXT NOT NULL DEFAULT 'now',
             twice TEXT NOT NULL GENERATED ALWAYS AS (title || title) STORED, maybe TEXT);"
        }
        SqlDialect::Postgres => {
            "CREATE DOMAIN stamp AS text NOT NULL DEFAULT 'now';
             CREATE TABLE books (id bigserial PRIMARY KEY, title text NOT NULL, made timestamptz NOT NULL DEFAULT now(),
             twice text NOT NULL GENERATED ALWAYS AS (title || title) STORED, maybe text, stamped stamp,
             number bigint GENERATED ALWAYS AS IDENTITY);"
        }
    };
    run(&store, sql).await;
    store.verify(&[&TITLES]).await.unwrap();
}

on!(a_default_of_null_fills_nothing: in_memory, postgres);
async fn a_default_of_null_fills_nothing(store: Store) {
    let key = match store.dialect() {
        SqlDialect::Sqlite => "INTEGER PRIMARY KEY",
        SqlDialect::Postgres => "bigserial PRIMARY KEY",
    };
    let sql = format!("CREATE TABLE books (id {key}, title TEXT, shelf TEXT NOT NULL DEFAULT NULL);");
    run(&store, &sql).await;
    assert!(failure(store.verify(&[&TITLES]).await).contains("`shelf`"));
}

on!(a_key_that_the_database_cannot_assign_is_rejected: in_memory, postgres);
async fn a_key_that_the_database_cannot_assign_is_rejected(store: Store) {
    let sql = match store.dialect() {
        // Not a rowid alias, which must have the type INTEGER.
        SqlDialect::Sqlite => "CREATE TABLE books (id INT PRIMARY KEY, title TEXT);",
        SqlDialect::Postgres => "CREATE TABLE books (id bigint PRIMARY KEY, title text);",
    };
    run(&store, sql).await;
    let cause = failure(store.verify(&[&TITLES]).await);
    for part in ["`id`", "`books`", "let the database assign"] {
        assert!(cause.contains(part), "{part} is not in: {cause}");
    }
}
