use model_resource_schema::column::{Assigned, Column, Role, Table};
use model_resource_schema::kind::Kind;
use model_resource_schema::model::Model;
use model_resource_schema::value::Value;
use model_resource_store::{Query, Select, Store, create_table_sql};
use refinery::{Migration, Runner};

use crate::database::{failure, in_file, in_memory, refusal};
use crate::models::{Article, Category, SAMPLES};

#[tokio::test]
async fn verify_is_content_with_what_the_models_created() {
    let (in_file, _folder) = in_file().await;
    for store in [in_file, in_memory().await] {
        store
            .verify(&[Category::table(), Article::table(), &SAMPLES])
            .await
            .unwrap();
        store
            .create_tables(&[Category::table(), Article::table(), &SAMPLES])
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn verify_names_every_table_and_column_that_is_missing_and_the_remedy() {
    static NEWER: Table = Table::new(
        "categories",
        "Category",
        &[
            Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
            Column::new("icon", Kind::Text),
        ],
    );
    let store = Store::open("sqlite::memory:").await.unwrap();
    store.create_tables(&[Category::table()]).await.unwrap();
    let cause = failure(store.verify(&[&NEWER, &SAMPLES]).await);
    for part in ["`categories`", "`icon`", "`samples`", "Sample", "add a migration"] {
        assert!(cause.contains(part), "{part} is not in: {cause}");
    }
}

#[tokio::test]
async fn a_column_that_does_not_exist_is_an_error_and_not_a_text() {
    static MISSPELT: Table = Table::new(
        "categories",
        "Category",
        &[
            Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
            Column::new("nmae", Kind::Text),
        ],
    );
    let store = in_memory().await;
    store.create(Category::draft("a")).await.unwrap();
    assert!(failure(store.find(&Select::from(&MISSPELT), Value::Int(1)).await).contains("nmae"));
}

#[tokio::test]
async fn migrations_are_applied_once_and_in_order() {
    let (store, _folder) = in_file().await;
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

#[tokio::test]
async fn a_failing_migration_changes_nothing_and_says_why() {
    let store = in_memory().await;
    let sql = "INSERT INTO categories VALUES (7, 'Rust', 'rust'); INSERT INTO nowhere VALUES (1);";
    let migration = Migration::unapplied("V1__broken", sql).unwrap();
    assert!(failure(store.migrate(Runner::new(&[migration])).await).contains("nowhere"));
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
    store.create(Category::draft("a")).await.unwrap();
}

#[tokio::test]
async fn a_migration_that_rebuilds_a_table_keeps_the_rows_that_reference_it() {
    let store = in_memory().await;
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

#[tokio::test]
async fn models_whose_constraints_make_no_sense_are_refused() {
    static SENSELESS: Table = Table::new(
        "senseless",
        "Senseless",
        &[
            Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
            Column::new("stars", Kind::I32).default("many"),
        ],
    );
    let store = in_memory().await;
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
