//! A lock of another program that blocks writes to the database.

use std::path::Path;

use model_resource_testing::PostgresSession;
use rusqlite::Connection;

/// A lock that is held until it is released or dropped.
pub struct WriteLock(Holder);

enum Holder {
    Sqlite(Connection),
    Postgres(PostgresSession),
}

impl WriteLock {
    pub(crate) fn of_file(file: &Path) -> Self {
        let connection = Connection::open(file).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        Self(Holder::Sqlite(connection))
    }

    pub(crate) fn of_tables(url: &str, tables: &[&str]) -> Self {
        let session = PostgresSession::open(url);
        let tables = tables.join(", ");
        session.query(&format!("BEGIN; LOCK TABLE {tables} IN EXCLUSIVE MODE"));
        Self(Holder::Postgres(session))
    }

    /// Releases the lock.
    pub fn release(self) {
        match self.0 {
            Holder::Sqlite(connection) => connection.execute_batch("ROLLBACK").unwrap(),
            Holder::Postgres(session) => {
                session.query("ROLLBACK");
            }
        }
    }
}
