//! The runner of migrations, and the history that it keeps.

use model_resource_store::{Migration, Migrations, Query, Sql, SqlDialect, Store};

use crate::database::{failure, field_errors, on};
use crate::models::{Article, Category};

/// A migration that creates a table, and takes it back.
fn table(version: u32, name: &'static str) -> Migration {
    Migration::new(
        version,
        name,
        format!("CREATE TABLE {name} (id bigint PRIMARY KEY);"),
    )
    .down(format!("DROP TABLE {name};"))
}

/// Names of the applied migrations.
async fn history(store: &Store) -> Vec<String> {
    let status = store.migration_status(&Migrations::default()).await.unwrap();
    status.applied.iter().map(|applied| applied.label()).collect()
}

async fn has_table(store: &Store, name: &str) -> bool {
    let sql = Sql::new(format!("SELECT count(*) AS rows FROM {name}"));
    store.fetch(sql).await.is_ok()
}

on!(migrations_are_applied_once_and_in_order: in_file, postgres);
async fn migrations_are_applied_once_and_in_order(store: Store) {
    let first = Migration::new(1, "more", "CREATE TABLE more (id INTEGER PRIMARY KEY)");
    let second = Migration::new(2, "fill", "INSERT INTO categories VALUES (7, 'Rust', 'rust')");
    let only = Migrations::new([first.clone()]);
    assert_eq!(store.migrate(&only).await.unwrap(), ["V1__more"]);
    let both = Migrations::new([second, first]);
    assert_eq!(store.migrate(&both).await.unwrap(), ["V2__fill"]);
    assert!(store.migrate(&both).await.unwrap().is_empty());
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap().len(), 1);
    assert_eq!(history(&store).await, ["V1__more", "V2__fill"]);
}

on!(a_failing_migration_changes_nothing_and_says_why: in_memory, postgres);
/// MIG-5: a failing migration changes nothing, and the error names it.
async fn a_failing_migration_changes_nothing_and_says_why(store: Store) {
    let sql = "INSERT INTO categories VALUES (7, 'Rust', 'rust'); INSERT INTO nowhere VALUES (1);";
    let migrations = Migrations::new([table(1, "kept"), Migration::new(2, "broken", sql)]);
    let cause = failure(store.migrate(&migrations).await);
    assert!(
        cause.contains("V2__broken") && cause.contains("nowhere"),
        "{cause}"
    );
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
    assert_eq!(history(&store).await, ["V1__kept"]);
    store.create(Category::draft("a")).await.unwrap();
}

on!(the_error_of_a_migration_has_its_failing_statement_alone: in_memory, postgres);
/// MIG-5: of a migration that fails, the error has the failing statement, shortened, and no other one.
async fn the_error_of_a_migration_has_its_failing_statement_alone(store: Store) {
    let columns: String = (0..40)
        .map(|number| format!(",\n  column_{number} TEXT"))
        .collect();
    let sql = format!(
        "CREATE TABLE earlier (id INTEGER);
-- Again.
CREATE TABLE categories (id INTEGER{columns});
CREATE TABLE later (id INTEGER);"
    );
    let cause = failure(
        store
            .migrate(&Migrations::new([Migration::new(1, "first", sql)]))
            .await,
    );
    assert!(
        cause.contains("V1__first") && cause.contains("categories"),
        "{cause}"
    );
    assert!(cause.contains("already exists"), "{cause}");
    assert!(
        !cause.contains("earlier") && !cause.contains("later") && cause.len() < 400,
        "{cause}"
    );
}

on!(a_migration_that_rebuilds_a_table_keeps_the_rows_that_reference_it: in_memory);
/// MIG-5: a table is built anew without its references, which are checked before the commit.
async fn a_migration_that_rebuilds_a_table_keeps_the_rows_that_reference_it(store: Store) {
    store.create(Category::draft("a")).await.unwrap();
    store.insert_any(Article::any("filed", Some(1))).await.unwrap();
    let sql =
        "CREATE TABLE new (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, slug TEXT NOT NULL);
        INSERT INTO new SELECT * FROM categories;
        DROP TABLE categories;
        ALTER TABLE new RENAME TO categories;";
    let rebuild = Migration::new(1, "rebuild", sql);
    store.migrate(&Migrations::new([rebuild.clone()])).await.unwrap();
    let filed = Query::<Article>::new().filter(Article::CATEGORY_ID.eq(Some(1)));
    assert_eq!(store.all(&filed).await.unwrap().len(), 1);

    let orphans = Migrations::new([rebuild, Migration::new(2, "orphans", "DELETE FROM categories")]);
    let cause = failure(store.migrate(&orphans).await);
    assert!(
        cause.contains("articles") && cause.contains("categories"),
        "{cause}"
    );
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap().len(), 1);
    assert_eq!(history(&store).await, ["V1__rebuild"]);
    // Foreign keys are enforced again.
    field_errors(store.insert_any(Article::any("nowhere", Some(99))).await);
}

on!(a_migration_cannot_end_its_transaction: in_memory);
async fn a_migration_cannot_end_its_transaction(store: Store) {
    let migrations = Migrations::new([Migration::new(1, "ends", "COMMIT;")]);
    let cause = failure(store.migrate(&migrations).await);
    assert!(
        cause.contains("V1__ends") && cause.contains("remove COMMIT"),
        "{cause}"
    );
}

on!(migrations_are_taken_back_in_reverse_order: in_file, postgres);
/// MIG-2: migrations are applied up to a version and taken back.
async fn migrations_are_taken_back_in_reverse_order(store: Store) {
    let second = Migration::new(2, "name", "ALTER TABLE one ADD COLUMN name text;")
        .down("ALTER TABLE one DROP COLUMN name;");
    let migrations = Migrations::new([table(1, "one"), second, table(3, "three")]);
    assert_eq!(
        store.migrate_to(&migrations, 2).await.unwrap(),
        ["V1__one", "V2__name"]
    );
    assert!(!has_table(&store, "three").await);
    store.migrate(&migrations).await.unwrap();
    let planned = store.planned_migrations(&migrations, Some(0)).await.unwrap();
    assert_eq!(planned.len(), 3);
    assert!(planned[0].is_down && planned[0].sql == "DROP TABLE three;");
    assert!(has_table(&store, "three").await, "a plan changes nothing");
    assert_eq!(
        store.migrate_to(&migrations, 1).await.unwrap(),
        ["V3__three", "V2__name"]
    );
    assert!(!has_table(&store, "three").await && has_table(&store, "one").await);
    assert_eq!(history(&store).await, ["V1__one"]);
    store.migrate(&migrations).await.unwrap();
    assert_eq!(history(&store).await, ["V1__one", "V2__name", "V3__three"]);
}

on!(nothing_is_taken_back_if_one_migration_cannot_be: in_memory, postgres);
/// MIG-2: nothing is taken back if one migration cannot be.
async fn nothing_is_taken_back_if_one_migration_cannot_be(store: Store) {
    let by_hand = Migration::new(1, "by_hand", "CREATE TABLE by_hand (id bigint);");
    let migrations = Migrations::new([by_hand, table(2, "two")]);
    store.migrate(&migrations).await.unwrap();
    let cause = failure(store.migrate_to(&migrations, 0).await);
    assert!(cause.contains("V1__by_hand.down.sql"), "{cause}");
    assert!(has_table(&store, "two").await);
    let cause = failure(store.migrate_to(&migrations, 7).await);
    assert!(cause.contains("no migration has the version 7"), "{cause}");
}

on!(other_histories_are_rejected: in_memory, postgres);
/// MIG-6: changed, missing and late migrations are rejected, newer ones are not.
async fn other_histories_are_rejected(store: Store) {
    store
        .migrate(&Migrations::new([table(1, "one"), table(3, "three")]))
        .await
        .unwrap();
    let changed = Migration::new(1, "one", "CREATE TABLE other (id bigint);");
    for (migrations, part) in [
        (
            vec![changed, table(3, "three"), table(4, "four")],
            "V1__one changed",
        ),
        (vec![table(1, "one"), table(4, "four")], "V3__three"),
        (
            vec![table(1, "one"), table(2, "two"), table(3, "three")],
            "V2__two is not applied",
        ),
    ] {
        let cause = failure(store.migrate(&Migrations::new(migrations)).await);
        assert!(cause.contains(part), "{part}: {cause}");
    }
    assert!(!has_table(&store, "four").await && !has_table(&store, "two").await);
    // An older program leaves newer migrations alone.
    assert!(
        store
            .migrate(&Migrations::new([table(1, "one")]))
            .await
            .unwrap()
            .is_empty()
    );
    let cause = failure(store.migrate_to(&Migrations::new([table(1, "one")]), 0).await);
    assert!(cause.contains("V3__three"), "{cause}");
}

on!(processes_that_start_at_once_apply_each_migration_once: in_file, postgres);
/// MIG-5: each migration is applied once.
async fn processes_that_start_at_once_apply_each_migration_once(store: Store) {
    let migrations = Migrations::new([
        table(1, "numbers"),
        Migration::new(2, "one", "INSERT INTO numbers VALUES (1);"),
        table(3, "three"),
    ]);
    let starts = (0..8).map(|_| {
        let (store, migrations) = (store.clone(), migrations.clone());
        tokio::spawn(async move { store.migrate(&migrations).await })
    });
    let mut applied = Vec::new();
    for start in starts.collect::<Vec<_>>() {
        applied.extend(start.await.unwrap().unwrap());
    }
    applied.sort();
    assert_eq!(applied, ["V1__numbers", "V2__one", "V3__three"]);
}

on!(a_migration_and_its_row_of_the_history_are_written_together: in_file, postgres);
/// MIG-5: a migration without its row is rolled back.
async fn a_migration_and_its_row_of_the_history_are_written_together(store: Store) {
    // Prevents the row of the second migration, as the end of the process would.
    let (stop, go_on) = match store.dialect() {
        SqlDialect::Sqlite => (
            "CREATE TRIGGER stop BEFORE INSERT ON model_resource_migrations WHEN NEW.version = 2 \
             BEGIN SELECT RAISE(ABORT, 'stopped'); END;",
            "DROP TRIGGER stop",
        ),
        SqlDialect::Postgres => (
            "ALTER TABLE model_resource_migrations ADD CONSTRAINT stop CHECK (version <> 2);",
            "ALTER TABLE model_resource_migrations DROP CONSTRAINT stop",
        ),
    };
    let migrations = Migrations::new([
        Migration::new(1, "stop", stop),
        table(2, "half"),
        Migration::new(3, "more", "ALTER TABLE half ADD COLUMN name TEXT;"),
    ]);
    failure(store.migrate(&migrations).await);
    assert!(!has_table(&store, "half").await);
    store.execute(Sql::new(go_on)).await.unwrap();
    store.migrate(&migrations).await.unwrap();
    assert!(has_table(&store, "half").await);
}

/// Creates the table of refinery 0.10 with a migration that it applied.
async fn migrate_with_refinery(store: &Store) {
    for sql in [
        "CREATE TABLE refinery_schema_history (version int PRIMARY KEY, name VARCHAR(255), applied_on VARCHAR(255), \
         checksum VARCHAR(255))",
        "INSERT INTO refinery_schema_history VALUES (1, 'step', '2026-11-18T07:11:56.7Z', '650292967054188466')",
    ] {
        store.execute(Sql::new(sql)).await.unwrap();
    }
}

on!(the_history_of_refinery_is_adopted: in_file, postgres);
/// MIG-7: the history of refinery is copied.
async fn the_history_of_refinery_is_adopted(store: Store) {
    migrate_with_refinery(&store).await;
    let migrations = Migrations::new([Migration::new(1, "step", "SELECT 1;\n"), table(2, "two")]);
    let status = store.migration_status(&migrations).await.unwrap();
    assert_eq!(status.pending, ["V2__two"]);
    assert_eq!(status.applied[0].applied_at, "2026-11-18T07:11:56.7Z");
    assert_eq!(store.migrate(&migrations).await.unwrap(), ["V2__two"]);
    assert_eq!(history(&store).await, ["V1__step", "V2__two"]);
    // A program of an earlier version may still run.
    let refinery = Sql::new("SELECT name FROM refinery_schema_history");
    assert_eq!(store.fetch(refinery).await.unwrap().len(), 1);
}

on!(a_migration_that_changed_since_refinery_applied_it_is_rejected: in_memory, postgres);
/// MIG-7: a migration that changed since is found.
async fn a_migration_that_changed_since_refinery_applied_it_is_rejected(store: Store) {
    migrate_with_refinery(&store).await;
    let migrations = Migrations::new([Migration::new(1, "step", "SELECT 2;\n"), table(2, "two")]);
    let cause = failure(store.migrate(&migrations).await);
    assert!(cause.contains("V1__step"), "{cause}");
    assert!(!has_table(&store, "two").await && !has_table(&store, "model_resource_migrations").await);
}
