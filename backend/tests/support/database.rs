//! The database of the tests: SQLite, or PostgreSQL with `TEST_DATABASE=postgres`.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use crate::support::lock::Lock;
use crate::support::{postgres, rows};

/// A temporary database, dropped with the last clone of this value.
#[derive(Clone)]
pub struct Database(Arc<Kind>);

enum Kind {
    Sqlite(TempDir),
    Postgres(postgres::Fresh),
}

impl Database {
    /// Creates an empty database of the configured kind.
    pub fn fresh() -> Self {
        Self(Arc::new(if is_postgres() {
            Kind::Postgres(postgres::Fresh::create())
        } else {
            Kind::Sqlite(TempDir::new().unwrap())
        }))
    }

    /// Whether the database is PostgreSQL.
    pub fn is_postgres(&self) -> bool {
        matches!(*self.0, Kind::Postgres(_))
    }

    /// Returns the value of `--database`.
    pub fn url(&self) -> String {
        match &*self.0 {
            Kind::Sqlite(folder) => format!("sqlite:{}", file(folder).display()),
            Kind::Postgres(fresh) => fresh.url(),
        }
    }

    /// Returns every row of every table as text.
    pub(super) fn rows(&self) -> Vec<String> {
        match &*self.0 {
            Kind::Sqlite(folder) => rows::of_file(&file(folder)),
            Kind::Postgres(fresh) => fresh.rows(),
        }
    }

    /// Returns the first column of the first row as text.
    pub(super) fn value(&self, sql: &str) -> String {
        match &*self.0 {
            Kind::Sqlite(folder) => rows::value_of_file(&file(folder), sql),
            Kind::Postgres(fresh) => fresh.value(sql),
        }
    }

    pub(super) fn execute(&self, sql: &str) {
        match &*self.0 {
            Kind::Sqlite(folder) => rows::execute_on_file(&file(folder), sql),
            Kind::Postgres(fresh) => {
                fresh.query(sql);
            }
        }
    }

    /// Returns the columns of all tables as `table.column`, without the migrations' own table.
    pub fn columns(&self) -> Vec<String> {
        let mut columns = match &*self.0 {
            Kind::Sqlite(folder) => rows::columns_of_file(&file(folder)),
            Kind::Postgres(fresh) => fresh.columns(),
        };
        columns.retain(|column| !column.starts_with("refinery_schema_history."));
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
    pub fn lock(&self, tables: &[&str]) -> Lock {
        match &*self.0 {
            Kind::Sqlite(folder) => Lock::of_file(&file(folder)),
            Kind::Postgres(fresh) => Lock::of_tables(fresh.url(), tables),
        }
    }

    /// Returns the database's error message for a missing table.
    pub fn missing(&self, table: &str) -> String {
        match &*self.0 {
            Kind::Sqlite(_) => format!("no such table: {table}"),
            Kind::Postgres(_) => format!("relation \"{table}\" does not exist"),
        }
    }
}

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("test.db")
}

pub(super) fn is_postgres() -> bool {
    match std::env::var("TEST_DATABASE").as_deref() {
        Err(_) | Ok("sqlite") => false,
        Ok("postgres") => true,
        Ok(other) => panic!("TEST_DATABASE is sqlite or postgres, not {other:?}"),
    }
}
