//! The database of the tests: SQLite, or PostgreSQL with `TEST_DATABASE=postgres`.

use std::fmt::Debug;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use tempfile::TempDir;

use crate::postgres::TemporaryDatabase;
use crate::sqlite;
use crate::write_lock::WriteLock;

/// A temporary database, dropped with the last clone of this value.
#[derive(Clone)]
pub struct TestDatabase(Arc<Kind>);

enum Kind {
    Sqlite(TempDir),
    Postgres(TemporaryDatabase),
}

impl TestDatabase {
    /// Creates an empty database of the configured kind.
    pub fn create() -> Self {
        Self(Arc::new(if is_postgres() {
            Kind::Postgres(TemporaryDatabase::create())
        } else {
            Kind::Sqlite(TempDir::new().unwrap())
        }))
    }

    /// Whether the database is PostgreSQL.
    pub fn is_postgres(&self) -> bool {
        matches!(*self.0, Kind::Postgres(_))
    }

    /// Returns the URL, as `Store::open` takes it.
    pub fn url(&self) -> String {
        match &*self.0 {
            Kind::Sqlite(folder) => format!("sqlite:{}", file(folder).display()),
            Kind::Postgres(database) => database.url(),
        }
    }

    /// Returns the URL for a program whose rows the test does not read: SQLite in memory, or this PostgreSQL database.
    pub fn url_or_in_memory(&self) -> String {
        if self.is_postgres() {
            self.url()
        } else {
            "sqlite::memory:".to_owned()
        }
    }

    /// Returns every row of every table as text, to compare before and after.
    pub fn rows(&self) -> Vec<String> {
        match &*self.0 {
            Kind::Sqlite(folder) => sqlite::rows(&file(folder)),
            Kind::Postgres(database) => database.rows(),
        }
    }

    /// Returns the first column of the first row.
    pub fn value<T: FromStr<Err: Debug>>(&self, sql: &str) -> T {
        let text = match &*self.0 {
            Kind::Sqlite(folder) => sqlite::value(&file(folder), sql),
            Kind::Postgres(database) => database.value(sql),
        };
        text.parse().unwrap()
    }

    /// Runs any number of statements.
    pub fn execute(&self, sql: &str) {
        match &*self.0 {
            Kind::Sqlite(folder) => sqlite::execute(&file(folder), sql),
            Kind::Postgres(database) => {
                database.query(sql);
            }
        }
    }

    /// Returns the columns of all tables as `table.column`, without the framework's own tables.
    pub fn columns(&self) -> Vec<String> {
        let mut columns = match &*self.0 {
            Kind::Sqlite(folder) => sqlite::columns(&file(folder)),
            Kind::Postgres(database) => database.columns(),
        };
        let own = [
            "refinery_schema_history.",
            "model_resource_secrets.",
            "model_resource_responses.",
        ];
        columns.retain(|column| !own.iter().any(|table| column.starts_with(table)));
        columns.sort();
        columns
    }

    /// Returns the raw bytes of everything stored, so that no format can hide a secret.
    pub fn bytes(&self) -> Vec<u8> {
        match &*self.0 {
            Kind::Sqlite(folder) => {
                let file = file(folder);
                let mut bytes = fs::read(&file).unwrap();
                bytes.extend(fs::read(format!("{}-wal", file.display())).unwrap());
                bytes
            }
            Kind::Postgres(_) => self.rows().join("\n").into_bytes(),
        }
    }

    /// Blocks every write to these tables until the lock is released. Reads are not blocked.
    pub fn lock(&self, tables: &[&str]) -> WriteLock {
        match &*self.0 {
            Kind::Sqlite(folder) => WriteLock::of_file(&file(folder)),
            Kind::Postgres(database) => WriteLock::of_tables(database.direct_url(), tables),
        }
    }

    /// Returns the database's error message for a missing table.
    pub fn missing_table_message(&self, table: &str) -> String {
        match &*self.0 {
            Kind::Sqlite(_) => format!("no such table: {table}"),
            Kind::Postgres(_) => format!("relation \"{table}\" does not exist"),
        }
    }
}

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("test.db")
}

pub(crate) fn is_postgres() -> bool {
    match std::env::var("TEST_DATABASE").as_deref() {
        Err(_) | Ok("sqlite") => false,
        Ok("postgres") => true,
        Ok(other) => panic!("TEST_DATABASE is sqlite or postgres, not {other:?}"),
    }
}
