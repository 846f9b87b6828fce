use model_resource_schema::column::{Assigned, Column, Role, Table};
use model_resource_schema::kind::Kind;
use model_resource_schema::model::Model;
use model_resource_schema::value::Value;
use model_resource_store::{Dialect, Query, Select, Store, create_table_sql};
use refinery::{Migration, Runner};

use crate::database::{failure, on, refusal};
use crate::models::{Article, Category, SAMPLES};

on!(verify_is_content_with_what_the_models_created: in_memory, in_file, postgres);
async fn verify_is_content_with_what_the_models_created(store: Store) {
    store
        .verify(&[Category::table(), Article::table(), &SAMPLES])
        .await
        .unwrap();
    store
        .create_tables(&[Category::table(), Article::table(), &SAMPLES])
        .await
        .unwrap();
}

on!(verify_names_every_table_and_column_that_is_missing_and_the_remedy: in_memory, postgres);
async fn verify_names_every_table_and_column_that_is_missing_and_the_remedy(store: Store) {
    static ABSENT: Table = Table::new(
        "absent",
        "Absent",
        &[Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase))],
    );
    static NEWER: Table = Table::new(
        "categories",
        "Category",
        &[
            Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
            Column::new("icon", Kind::Text),
        ],
    );
    let cause = failure(store.verify(&[&NEWER, &ABSENT]).await);
    for part in ["`categories`", "`icon`", "`absent`", "Absent", "add a migration"] {
        assert!(cause.contains(part), "{part} is not in: {cause}");
    }
}

on!(a_column_that_does_not_exist_is_an_error_and_not_a_text: in_memory, postgres);
async fn a_column_that_does_not_exist_is_an_error_and_not_a_text(store: Store) {
    static MISSPELT: Table = Table::new(
        "categories",
        "Category",
        &[
            Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
            Column::new("nmae", Kind::Text),
        ],
    );
    store.create(Category::draft("a")).await.unwrap();
    assert!(failure(store.find(&Select::from(&MISSPELT), Value::Int(1)).await).contains("nmae"));
}

on!(migrations_are_applied_once_and_in_order: in_file, postgres);
async fn migrations_are_applied_once_and_in_order(store: Store) {
    let first = Migration::unapplied("V1__more", "CREATE TABLE more (id INTEGER PRIMARY KEY)").unwrap();
    let second =
        Migration::unapplied("V2__fill", "INSERT INTO categories VALUES (7, 'Rust', 'rust')").unwrap();
    store
        .migrate(Runner::new(std::slice::from_ref(&first)))
        .await
        .unwrap();
    for _ in 0..2 {
        store
            .migrate(Runner::new(&[first.clone(), second.clone()]))
            .await
            .unwrap();
    }
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap().len(), 1);
}

on!(a_failing_migration_changes_nothing_and_says_why: in_memory, postgres);
async fn a_failing_migration_changes_nothing_and_says_why(store: Store) {
    let sql = "INSERT INTO categories VALUES (7, 'Rust', 'rust'); INSERT INTO nowhere VALUES (1);";
    let migration = Migration::unapplied("V1__broken", sql).unwrap();
    assert!(failure(store.migrate(Runner::new(&[migration])).await).contains("nowhere"));
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
    store.create(Category::draft("a")).await.unwrap();
}

on!(a_migration_that_rebuilds_a_table_keeps_the_rows_that_reference_it: in_memory);
async fn a_migration_that_rebuilds_a_table_keeps_the_rows_that_reference_it(store: Store) {
    store.create(Category::draft("a")).await.unwrap();
    store.insert(Article::any("filed", Some(1))).await.unwrap();
    let sql =
        "CREATE TABLE new (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, slug TEXT NOT NULL);
        INSERT INTO new SELECT * FROM categories;
        DROP TABLE categories;
        ALTER TABLE new RENAME TO categories;";
    let migration = Migration::unapplied("V1__rebuild", sql).unwrap();
    store.migrate(Runner::new(&[migration])).await.unwrap();
    assert_eq!(
        store
            .all(&Query::new().filter(Article::CATEGORY_ID, Some(1)))
            .await
            .unwrap()
            .len(),
        1
    );

    let sql = "DELETE FROM categories";
    let migration = Migration::unapplied("V2__orphans", sql).unwrap();
    let cause = failure(
        store
            .migrate(Runner::new(&[migration]).set_abort_missing(false))
            .await,
    );
    assert!(
        cause.contains("articles") && cause.contains("categories"),
        "{cause}"
    );

    // The migration was applied; the next start must not serve what it left either.
    let again = failure(store.migrate(Runner::new(&[]).set_abort_missing(false)).await);
    assert_eq!(again, cause);
    refusal(store.insert(Article::any("nowhere", Some(99))).await);
}

on!(models_whose_constraints_make_no_sense_are_refused: in_memory, postgres);
async fn models_whose_constraints_make_no_sense_are_refused(store: Store) {
    static SENSELESS: Table = Table::new(
        "senseless",
        "Senseless",
        &[
            Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
            Column::new("stars", Kind::I32).default("many"),
        ],
    );
    for cause in [
        failure(store.create_tables(&[&SENSELESS]).await),
        failure(store.verify(&[Category::table(), &SENSELESS]).await),
    ] {
        assert!(
            cause.contains("Senseless") && cause.contains("`stars`") && cause.contains("many"),
            "{cause}"
        );
    }
}

#[test]
fn the_sql_of_a_table_has_its_constraints_and_an_index_for_each_foreign_key() {
    let expected = r#"CREATE TABLE IF NOT EXISTS "articles" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "title" TEXT NOT NULL,
    "views" INTEGER NOT NULL,
    "category_id" INTEGER REFERENCES "categories" ("id") ON DELETE RESTRICT,
    "reply_to" INTEGER REFERENCES "articles" ("id") ON DELETE SET NULL
) STRICT;
CREATE INDEX IF NOT EXISTS "articles_category_id" ON "articles" ("category_id");
CREATE INDEX IF NOT EXISTS "articles_reply_to" ON "articles" ("reply_to");
"#;
    assert_eq!(create_table_sql(Article::table()), expected);
}

#[test]
fn the_sql_of_a_table_for_postgresql_has_the_types_of_every_kind() {
    let expected = r#"CREATE TABLE IF NOT EXISTS "samples" (
    "id" uuid PRIMARY KEY,
    "flag" boolean,
    "small" smallint,
    "number" integer,
    "big" bigint,
    "single" real,
    "ratio" double precision,
    "text" text,
    "blob" bytea,
    "amount" numeric(12, 4),
    "day" date,
    "clock" time,
    "moment" timestamptz,
    "token" uuid,
    "extra" json,
    "color" text,
    "order" text
);
"#;
    assert_eq!(Dialect::Postgres.create_table_sql(&SAMPLES), expected);
    let articles = Dialect::Postgres.create_table_sql(Article::table());
    for part in [
        "\"id\" bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,",
        "\"category_id\" bigint REFERENCES \"categories\" (\"id\") ON DELETE RESTRICT,",
        "CREATE INDEX IF NOT EXISTS \"articles_reply_to\" ON \"articles\" (\"reply_to\", \"id\");",
    ] {
        assert!(articles.contains(part), "{part} is not in: {articles}");
    }
}

on!(processes_that_start_at_once_create_the_tables_together: in_file, postgres);
async fn processes_that_start_at_once_create_the_tables_together(store: Store) {
    static NEW: Table = Table::new(
        "brand_new",
        "BrandNew",
        &[Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase))],
    );
    let starts = (0..8).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.create_tables(&[&NEW]).await })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap().unwrap();
    }
}
