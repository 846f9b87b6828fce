//! The rows, made by the databases themselves: a million in seconds.

use std::fmt::Write;
use std::ops::Range;

use crate::outcome::Database;

/// Of eight letters each.
const WORDS: &str =
    "swift   quiet   amber   river   stone   garden  winter  copper  lantern meadow  harbor  cedar   ";
const TEXT: &str = "swift garden harbor river lantern quiet winter cedar stone meadow amber copper over a quiet river, \
                    below the winter harbor, behind a stone garden, where the swift lantern stands";

/// The statement that adds articles with these numbers, which begin with 0.
pub(super) fn articles(database: Database, numbers: Range<u64>) -> String {
    let word = |factor: u64| format!("trim(substr('{WORDS}', 1 + n * {factor} % 12 * 8, 8))");
    // SQLite holds hundredths, days and microseconds.
    let (price, date, moment) = match database {
        Database::Sqlite => ("n % 10000", "19000 + n % 365", "1715000000000000 + n * 1000003"),
        Database::Postgres => (
            "n % 10000 / 100.0",
            "DATE '2022-01-08' + n % 365",
            "TIMESTAMPTZ '2024-05-06T12:53:20Z' + n * INTERVAL '1.000003 s'",
        ),
    };
    format!(
        "{} INSERT INTO articles (title, slug, body, summary, published, rating, price, publish_date, category_id, \
         created_at, updated_at) SELECT 'The ' || {one} || ' ' || {two} || ' ' || n, 'the-' || {one} || '-' || {two} || \
         '-' || n, substr('{TEXT}', 1 + n % 60, 120), 'About a ' || {two} || '.', n % 5 <> 0, \
         CASE WHEN n % 50 <> 3 THEN n % 50 / 10.0 END, {price}, \
         CASE WHEN n % 2 = 0 THEN {date} END, 1 + n % 4, {moment}, {moment} FROM {}",
        numbers_before(database, &numbers),
        numbers_from(database, &numbers),
        one = word(7),
        two = word(5),
    )
}

/// The statements that add so many rows to the table of each of these models.
pub(super) fn things(database: Database, models: Range<u64>, rows: u64) -> String {
    let numbers = 0..rows;
    let mut sql = String::new();
    for model in models {
        let _ = write!(
            sql,
            "{} INSERT INTO thing{model}s (name, title, city, street, phone, note, remark, comment, width, height, depth, \
             weight, amount, level, ratio, share, is_new, is_open, is_done) SELECT 'thing ' || n, 'The thing ' || n, \
             'Springfield', 'Long Street ' || n, '555-0' || n, 'a note', NULL, 'a comment', n, n + 1, n + 2, n + 3, \
             n * 10, n % 5, n / 8.0, n / 4.0, n % 2 = 0, n % 3 = 0, n % 5 = 0 FROM {};",
            numbers_before(database, &numbers),
            numbers_from(database, &numbers),
        );
    }
    sql
}

fn numbers_before(database: Database, numbers: &Range<u64>) -> String {
    match database {
        Database::Sqlite => format!(
            "WITH RECURSIVE numbers(n) AS (SELECT {} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {})",
            numbers.start, numbers.end
        ),
        Database::Postgres => String::new(),
    }
}

fn numbers_from(database: Database, numbers: &Range<u64>) -> String {
    match database {
        Database::Sqlite => "numbers".to_owned(),
        Database::Postgres => format!("generate_series({}, {}) AS n", numbers.start, numbers.end - 1),
    }
}
