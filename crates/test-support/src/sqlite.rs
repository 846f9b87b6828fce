//! Direct access to an SQLite file.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// Returns every row of every table as text.
pub(crate) fn rows(file: &Path) -> Vec<String> {
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
        let mut statement = connection
            .prepare(&format!("SELECT * FROM \"{table}\" ORDER BY 1"))
            .unwrap();
        let columns = statement.column_count();
        let mut found = statement.query(()).unwrap();
        while let Some(row) = found.next().unwrap() {
            let cells: Vec<String> = (0..columns)
                .map(|column| format!("{:?}", row.get_ref(column).unwrap()))
                .collect();
            all.push(format!("{table}: {}", cells.join(", ")));
        }
    }
    all
}

/// Returns the columns of all tables as `table.column`.
pub(crate) fn columns(file: &Path) -> Vec<String> {
    let connection = Connection::open(file).unwrap();
    let sql = "SELECT s.name || '.' || c.name FROM sqlite_schema s, pragma_table_info(s.name) c
               WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut columns = connection.prepare(sql).unwrap();
    let columns = columns.query_map((), |row| row.get(0)).unwrap();
    columns.map(Result::unwrap).collect()
}

/// Returns the first column of the first row as text.
pub(crate) fn value(file: &Path, sql: &str) -> String {
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

/// Runs any number of statements.
pub(crate) fn execute(file: &Path, sql: &str) {
    let connection = Connection::open(file).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection.execute_batch(sql).unwrap();
}
