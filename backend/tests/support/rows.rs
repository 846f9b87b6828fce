//! The stored rows, read and changed directly in the database.

use std::fmt::Debug;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::support::database::Database;

/// Returns every row of every table as text, to compare before and after.
pub fn rows(database: &Database) -> Vec<String> {
    database.rows()
}

/// Reads one value directly from the database.
pub fn value<T: FromStr<Err: Debug>>(database: &Database, sql: &str) -> T {
    database.value(sql).parse().unwrap()
}

/// Changes rows directly in the database.
pub fn execute(database: &Database, sql: &str) {
    database.execute(sql);
}

pub(super) fn of_file(file: &Path) -> Vec<String> {
    let connection = Connection::open(file).unwrap();
    let mut tables = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap();
    let tables: Vec<String> = tables
        .query_map((), |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut all = Vec::new();
    for table in tables.iter().filter(|table| !table.starts_with("sqlite_")) {
        let mut select = connection
            .prepare(&format!("SELECT * FROM \"{table}\" ORDER BY 1"))
            .unwrap();
        let columns = select.column_count();
        let mut found = select.query(()).unwrap();
        while let Some(row) = found.next().unwrap() {
            let cells: Vec<String> = (0..columns)
                .map(|column| format!("{:?}", row.get_ref(column).unwrap()))
                .collect();
            all.push(format!("{table}: {}", cells.join(", ")));
        }
    }
    all
}

pub(super) fn columns_of_file(file: &Path) -> Vec<String> {
    let connection = Connection::open(file).unwrap();
    let sql = "SELECT s.name || '.' || c.name FROM sqlite_schema s, pragma_table_info(s.name) c
               WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut columns = connection.prepare(sql).unwrap();
    let columns = columns.query_map((), |row| row.get(0)).unwrap();
    columns.map(Result::unwrap).collect()
}

pub(super) fn value_of_file(file: &Path, sql: &str) -> String {
    let connection = Connection::open(file).unwrap();
    let text = |value: ValueRef<'_>| match value {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
        other => panic!("neither a number nor a text: {other:?}"),
    };
    connection
        .query_row(sql, (), |row| row.get_ref(0).map(text))
        .unwrap()
}

pub(super) fn execute_on_file(file: &Path, sql: &str) {
    let connection = Connection::open(file).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection.execute_batch(sql).unwrap();
}
