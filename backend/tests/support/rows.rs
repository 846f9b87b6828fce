//! The stored rows, read past the server.

use std::path::Path;

use rusqlite::Connection;

/// Every row of every table as text, to compare before and after.
pub fn rows(database: &Path) -> Vec<String> {
    let connection = Connection::open(database).unwrap();
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

/// One value, read past the server.
pub fn value<T: rusqlite::types::FromSql>(database: &Path, sql: &str) -> T {
    let connection = Connection::open(database).unwrap();
    connection.query_row(sql, (), |row| row.get(0)).unwrap()
}

/// Changes rows past the server.
pub fn execute(database: &Path, sql: &str) {
    let connection = Connection::open(database).unwrap();
    connection
        .busy_timeout(std::time::Duration::from_secs(5))
        .unwrap();
    connection.execute_batch(sql).unwrap();
}
