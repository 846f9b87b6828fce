//! Handwritten SQL with bound parameters.

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::{Date, Time, date, time};
use model_resource_schema::column::Table;
use model_resource_schema::column_type::TypeMismatch;
use model_resource_schema::json_column::Json;
use model_resource_schema::model::{Field, Model, Row};
use model_resource_schema::value::{Value, ValueRef};
use model_resource_store::{AnyQuery, Query, Sql, SqlDialect, Store, StoreError};
use rust_decimal::Decimal;
use serde_json::json;
use uuid::Uuid;

use crate::cancellation::until_waiting;
use crate::database::{failure, field_errors, in_file, on, postgres};
use crate::models::{Article, Category, SAMPLES};

/// The table of all data types, for its fields.
struct Sample;

impl Sample {
    const AMOUNT: Field<Self, Option<Decimal>> = Field::at(9);
    const NUMBER: Field<Self, Option<i32>> = Field::at(3);
}

impl Row for Sample {
    fn value(&self, _: usize) -> ValueRef<'_> {
        ValueRef::Null
    }
}

impl Model for Sample {
    fn table() -> &'static Table {
        &SAMPLES
    }

    fn from_row(_: &dyn Row) -> Result<Self, TypeMismatch> {
        Ok(Self)
    }
}

async fn articles(store: &Store) {
    for (title, views) in [("a", 1), ("b", 2), ("c", 4)] {
        store
            .create(Article::draft(title).with(Article::VIEWS, views))
            .await
            .unwrap();
    }
}

on!(parameters_are_bound_by_number_and_values_read_by_name: in_memory, in_file, postgres);
/// QRY-5: parameters are bound by their numbers, in any order and repeatedly, and values by the names of their columns.
async fn parameters_are_bound_by_number_and_values_read_by_name(store: Store) {
    articles(&store).await;
    let sql = "SELECT title, views * $2 AS product FROM articles WHERE title <> $1 AND title < $3 OR title = $3 \
               ORDER BY views LIMIT $2";
    let rows = store
        .fetch(Sql::new(sql).bind("a").bind(3_i64).bind("c"))
        .await
        .unwrap();
    let read: Vec<(String, i64)> = rows
        .iter()
        .map(|row| (row.get("title").unwrap(), row.get("product").unwrap()))
        .collect();
    assert_eq!(read, [("b".to_owned(), 6), ("c".to_owned(), 12)]);
    assert_eq!(rows[0].columns(), ["title", "product"]);

    let injected = Sql::new("SELECT count(*) AS count FROM articles WHERE title = $1").bind("' OR '1' = '1");
    assert_eq!(store.fetch(injected).await.unwrap()[0].get::<i64>("count"), Ok(0));
    let none = Sql::new("SELECT title FROM articles WHERE views > $1").bind(100_i64);
    assert!(store.fetch(none).await.unwrap().is_empty());
}

on!(aggregates_are_read_as_numbers: in_file, postgres);
/// QRY-5: aggregates are read as numbers on both databases.
async fn aggregates_are_read_as_numbers(store: Store) {
    articles(&store).await;
    let sql = "SELECT count(*) AS count, sum(views) AS sum, avg(views) AS mean, max(views) AS most, min(reply_to) AS least \
               FROM articles";
    let rows = store.fetch(Sql::new(sql)).await.unwrap();
    assert_eq!(rows[0].get::<i64>("count"), Ok(3));
    assert_eq!(rows[0].get::<i64>("sum"), Ok(7));
    assert_eq!(rows[0].get::<i16>("most"), Ok(4));
    assert_eq!(rows[0].get::<Option<i64>>("least"), Ok(None));
    let mean: f64 = rows[0].get("mean").unwrap();
    assert!((mean - 7.0 / 3.0).abs() < 1e-9, "{mean}");
}

on!(every_column_type_is_bound_and_read: in_memory, postgres);
/// QRY-5: every column type is bound and read.
async fn every_column_type_is_bound_and_read(store: Store) {
    let id = Uuid::now_v7();
    let (day, clock): (Date, Time) = (date(2024, 2, 29), time(7, 8, 9, 0));
    let moment: Timestamp = "2024-05-06T07:08:09.123456Z".parse().unwrap();
    let (document, amount) = (Json::new(&json!({"a": [1]})).unwrap(), Decimal::new(15, 1));
    let sql = "INSERT INTO samples (id, flag, small, number, big, single, ratio, text, blob, amount, day, clock, moment, \
               token, extra, color) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $1, $14, $15)";
    let insert = Sql::new(sql)
        .bind(id)
        .bind(true)
        .bind(3_i64)
        .bind_field(Sample::NUMBER, 4)
        .bind(5)
        .bind(0.5_f32)
        .bind(0.25)
        .bind("text")
        .bind(vec![1_u8, 2])
        .bind_field(Sample::AMOUNT, amount)
        .bind(day)
        .bind(clock)
        .bind(moment)
        .bind(document.clone())
        .bind("red");
    assert_eq!(store.execute(insert).await, Ok(1));

    let all = AnyQuery::from(&SAMPLES);
    let record = store.find_any(&all, Value::Uuid(id)).await.unwrap().unwrap();
    assert_eq!(record.values()[9], Value::Decimal(Decimal::new(15_000, 4)));
    let rows = store.fetch(Sql::new("SELECT * FROM samples")).await.unwrap();
    let row = &rows[0];
    assert_eq!(row.get("id"), Ok(id));
    assert_eq!(row.get("flag"), Ok(true));
    assert_eq!(row.get("small"), Ok(3_i16));
    assert_eq!(row.field(Sample::NUMBER), Ok(Some(4)));
    assert_eq!(row.get("big"), Ok(5_i64));
    assert_eq!(row.get("single"), Ok(0.5_f32));
    assert_eq!(row.get("ratio"), Ok(0.25));
    assert_eq!(row.get::<String>("text"), Ok("text".to_owned()));
    assert_eq!(row.get("blob"), Ok(vec![1_u8, 2]));
    assert_eq!(row.field(Sample::AMOUNT), Ok(Some(amount)));
    assert_eq!(row.get("day"), Ok(day));
    assert_eq!(row.get("clock"), Ok(clock));
    assert_eq!(row.get("moment"), Ok(moment));
    assert_eq!(row.get("token"), Ok(id));
    assert_eq!(row.get("extra"), Ok(document));
    assert_eq!(row.get::<String>("color"), Ok("red".to_owned()));
    assert_eq!(row.get::<Option<String>>("order"), Ok(None));
    let found = Sql::new(
        "SELECT max(amount) AS highest FROM samples WHERE amount >= $1 AND moment <= $2 AND id = $3",
    )
    .bind_field(Sample::AMOUNT, amount)
    .bind(moment)
    .bind(id);
    let rows = store.fetch(found).await.unwrap();
    assert_eq!(rows[0].field_as(Sample::AMOUNT, "highest"), Ok(Some(amount)));
}

on!(raw_sql_takes_part_in_a_transaction: in_memory, in_file, postgres);
/// QRY-6: inside a transaction, raw SQL reads and writes with it and is rolled back with it.
async fn raw_sql_takes_part_in_a_transaction(store: Store) {
    let count = |store: Store| async move {
        let rows = store
            .fetch(Sql::new("SELECT count(*) AS count FROM articles"))
            .await
            .unwrap();
        rows[0].get::<i64>("count").unwrap()
    };
    let transaction = store.begin().await.unwrap();
    let article = transaction.create(Article::draft("a")).await.unwrap();
    let insert = Sql::new("INSERT INTO articles (title, views) VALUES ($1, $2)")
        .bind("b")
        .bind(0);
    assert_eq!(transaction.execute(insert.clone()).await, Ok(1));
    let update = Sql::new("UPDATE articles SET views = views + $1 RETURNING id, views").bind(7);
    let updated = transaction.fetch(update).await.unwrap();
    assert_eq!(updated.len(), 2);
    assert_eq!(updated[0].get::<i64>("views"), Ok(7));
    assert_eq!(
        transaction
            .get::<Article>(article.id)
            .await
            .unwrap()
            .unwrap()
            .views,
        7
    );
    assert_eq!(count((*transaction).clone()).await, 2);
    transaction.rollback().await.unwrap();
    assert_eq!(count(store.clone()).await, 0);

    let transaction = store.begin().await.unwrap();
    transaction.execute(insert).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(count(store).await, 1);
}

on!(a_failing_statement_leaves_the_transaction_as_it_was: in_memory, postgres);
/// QRY-6: a failing statement leaves the transaction as it was before.
async fn a_failing_statement_leaves_the_transaction_as_it_was(store: Store) {
    let transaction = store.begin().await.unwrap();
    let insert = Sql::new("INSERT INTO categories (name, slug) VALUES ($1, $1)").bind("a");
    assert_eq!(transaction.execute(insert.clone()).await, Ok(1));
    let expected = json!({"_schema": ["A row with these values already exists."]});
    assert_eq!(field_errors(transaction.execute(insert).await), expected);
    transaction.commit().await.unwrap();
    assert_eq!(store.count(&Query::<Category>::new()).await, Ok(1));
}

on!(a_write_is_not_fetched_outside_of_a_transaction: in_memory, in_file, postgres);
/// QRY-7: a write is not fetched outside of a transaction, and writes nothing.
async fn a_write_is_not_fetched_outside_of_a_transaction(store: Store) {
    articles(&store).await;
    let mut writes = vec!["DELETE FROM articles RETURNING id"];
    if store.dialect() == SqlDialect::Postgres {
        writes.push("WITH deleted AS (DELETE FROM articles RETURNING id) SELECT id FROM deleted");
    }
    for sql in writes {
        let message = failure(store.fetch(Sql::new(sql)).await);
        assert!(message.contains("`fetch` only reads"), "{message}");
        assert_eq!(store.count(&Query::<Article>::new()).await, Ok(3));
    }
    let message = failure(store.execute(Sql::new("SELECT 1")).await);
    assert!(message.contains("use `fetch`"), "{message}");
}

on!(an_invalid_statement_is_an_error_and_changes_nothing: in_memory, in_file, postgres);
/// QRY-7: several statements, control statements and a wrong number of parameters are errors and change nothing.
async fn an_invalid_statement_is_an_error_and_changes_nothing(store: Store) {
    articles(&store).await;
    for sql in [
        Sql::new("DELETE FROM articles; DELETE FROM articles"),
        Sql::new("DELETE FROM articles WHERE title = $1"),
        Sql::new("DELETE FROM articles WHERE title = $1")
            .bind("a")
            .bind("b"),
        Sql::new("DELETE FROM articles WHERE title = $2").bind("a"),
        Sql::new("DELETE FROM articles WHERE views = $1").bind(Decimal::ONE),
        Sql::new("DELETE FROM articles WHERE views = $1").bind(f64::NAN),
        Sql::new("DELETE FROM articles WHERE nothing = 1"),
        Sql::new("COMMIT"),
        Sql::new(" -- nothing"),
    ] {
        failure(store.execute(sql.clone()).await);
        failure(store.fetch(sql).await);
    }
    assert_eq!(store.count(&Query::<Article>::new()).await, Ok(3));
    failure(store.fetch(Sql::new("SELECT 1; SELECT 2")).await);
    let trailing = store
        .fetch(Sql::new("SELECT 1 AS one; -- the end"))
        .await
        .unwrap();
    assert_eq!(trailing.len(), 1);
}

on!(an_unreadable_value_is_an_error_that_names_the_column: in_file, postgres);
/// QRY-7: the error of a value that cannot be read names its column and not the value.
async fn an_unreadable_value_is_an_error_that_names_the_column(store: Store) {
    store.create(Article::draft("secret")).await.unwrap();
    let rows = store
        .fetch(Sql::new("SELECT title, reply_to, views FROM articles"))
        .await
        .unwrap();
    let messages = [
        failure(rows[0].get::<i64>("rating")),
        failure(rows[0].get::<i64>("reply_to")),
        failure(rows[0].get::<i64>("title")),
        failure(rows[0].get::<Decimal>("views")),
    ];
    for (message, parts) in messages.iter().zip([
        ["no column `rating`", "`title`, `reply_to`, `views`"],
        ["column `reply_to`", "null: read it as an Option"],
        ["column `title`", "expected I64"],
        ["column `views`", "read it with `field`"],
    ]) {
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
    assert!(!format!("{rows:?}").contains("secret"));
}

on!(too_many_rows_are_an_error: in_file, postgres);
/// QRY-7: rows that exceed the memory limit are an error.
async fn too_many_rows_are_an_error(store: Store) {
    let sql = "WITH RECURSIVE numbers AS (SELECT 1 AS number UNION ALL SELECT number + 1 FROM numbers) \
               SELECT number, 'a text of some length, so that the limit is reached soon' AS text FROM numbers";
    assert!(matches!(
        store.fetch(Sql::new(sql)).await,
        Err(StoreError::TooLarge)
    ));
    articles(&store).await;
}

on!(a_definition_changes_no_rows: in_file, postgres);
/// QRY-5: a write returns the number of changed rows, a definition none.
async fn a_definition_changes_no_rows(store: Store) {
    articles(&store).await;
    assert_eq!(
        store.execute(Sql::new("CREATE TABLE extras (id INTEGER)")).await,
        Ok(0)
    );
    assert_eq!(
        store.execute(Sql::new("UPDATE articles SET views = 0")).await,
        Ok(3)
    );
    assert_eq!(store.execute(Sql::new("DROP TABLE extras")).await, Ok(0));
    let returning = Sql::new("DELETE FROM articles WHERE title = $1 RETURNING id").bind("a");
    assert_eq!(store.execute(returning).await, Ok(1));
}

/// QRY-7: a fetch whose future is dropped is cancelled.
#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_fetch_in_sqlite_is_interrupted() {
    let (store, _folder) = in_file().await;
    let endless = "WITH RECURSIVE numbers AS (SELECT 1 AS number UNION ALL SELECT number + 1 FROM numbers) \
                   SELECT count(*) AS count FROM numbers";
    let fetches: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.fetch(Sql::new(endless)).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    fetches.iter().for_each(tokio::task::JoinHandle::abort);
    let all = Query::<Article>::new();
    let count = tokio::time::timeout(Duration::from_secs(20), store.count(&all));
    assert_eq!(count.await.expect("the readers are free again"), Ok(0));
}

/// QRY-7: a fetch that waits on PostgreSQL blocks nobody and is cancelled when it is dropped.
#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_fetch_on_postgres_is_cancelled() {
    let Some(database) = postgres().await else { return };
    let lock = database.store.begin().await.unwrap();
    let exclusive = Sql::new("LOCK TABLE articles IN ACCESS EXCLUSIVE MODE");
    lock.execute(exclusive).await.unwrap();
    let store = database.store.clone();
    let fetch = tokio::spawn(async move { store.fetch(Sql::new("SELECT id FROM articles")).await });
    until_waiting(&database.url, 1).await;
    fetch.abort();
    until_waiting(&database.url, 0).await;
    lock.rollback().await.unwrap();
    assert!(
        database
            .store
            .fetch(Sql::new("SELECT id FROM articles"))
            .await
            .unwrap()
            .is_empty()
    );
}

/// QRY-5: PostgreSQL derives the types of parameters, and texts are converted to them.
#[tokio::test(flavor = "multi_thread")]
async fn texts_are_converted_to_the_parameter_types_of_postgres() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let sql = "SELECT $1::uuid AS id, $2::timestamptz AS moment, $3::jsonb AS document, $4::date AS day, \
               $5::numeric > 1 AS is_more, $6::float8 AS ratio, $7::time AS clock, $8::real AS single";
    let id = Uuid::now_v7();
    let sql = Sql::new(sql)
        .bind(id.to_string())
        .bind("2024-05-06T07:08:09Z")
        .bind("{\"a\": 1}")
        .bind("2024-02-29")
        .bind(2)
        .bind(3)
        .bind("07:08:09")
        .bind(0.5);
    let rows = store.fetch(sql).await.unwrap();
    assert_eq!(rows[0].get("id"), Ok(id));
    assert_eq!(
        rows[0].get::<Timestamp>("moment"),
        Ok("2024-05-06T07:08:09Z".parse().unwrap())
    );
    assert_eq!(rows[0].get::<Json>("document").unwrap().text(), "{\"a\": 1}");
    assert_eq!(rows[0].get("day"), Ok(date(2024, 2, 29)));
    assert_eq!(rows[0].get("is_more"), Ok(true));
    assert_eq!(rows[0].get("ratio"), Ok(3.0));
    assert_eq!(rows[0].get("clock"), Ok(time(7, 8, 9, 0)));
    assert_eq!(rows[0].get("single"), Ok(0.5));
    let wrong = failure(
        store
            .fetch(Sql::new("SELECT $1::uuid AS id").bind("secret"))
            .await,
    );
    assert!(
        wrong.contains("expects uuid") && !wrong.contains("secret"),
        "{wrong}"
    );
}
