//! The databases that the tests run on: SQLite, or PostgreSQL with `TEST_DATABASE=postgres`.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use crate::support::lock::Lock;
use crate::support::{postgres, rows};

/// A database of the test's own, gone with the last clone of this value.
#[derive(Clone)]
pub struct Database(Arc<Kind>);

enum Kind {
    Sqlite(TempDir),
    Postgres(postgres::Fresh),
}

impl Database {
    /// A new empty database of the kind that the tests run on.
    pub fn fresh() -> Self {
        Self(Arc::new(match is_postgres() {
            true => Kind::Postgres(postgres::Fresh::create()),
            false => Kind::Sqlite(TempDir::new().unwrap()),
        }))
    }

    /// Whether it is on a PostgreSQL server.
    pub fn is_postgres(&self) -> bool {
        matches!(*self.0, Kind::Postgres(_))
    }

    /// What `--database` takes.
    pub fn url(&self) -> String {
        match &*self.0 {
            Kind::Sqlite(folder) => format!("sqlite:{}", file(folder).display()),
            Kind::Postgres(fresh) => fresh.url(),
        }
    }

    /// Every row of every table as text.
    pub(super) fn rows(&self) -> Vec<String> {
        match &*self.0 {
            Kind::Sqlite(folder) => rows::of_file(&file(folder)),
            Kind::Postgres(fresh) => fresh.rows(),
        }
    }

    /// The first column of the first row, as text.
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

    /// The columns of all tables, as `table.column`, but those of the migrations' own.
    pub fn columns(&self) -> Vec<String> {
        let mut columns = match &*self.0 {
            Kind::Sqlite(folder) => rows::columns_of_file(&file(folder)),
            Kind::Postgres(fresh) => fresh.columns(),
        };
        columns.retain(|column| !column.starts_with("refinery_schema_history."));
        columns.sort();
        columns
    }

    /// Everything that is stored, as bytes, so that none can hide in a format.
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

    /// Keeps every write to these tables waiting until the lock is released; they can still be read.
    pub fn lock(&self, tables: &[&str]) -> Lock {
        match &*self.0 {
            Kind::Sqlite(folder) => Lock::of_file(&file(folder)),
            Kind::Postgres(fresh) => Lock::of_tables(fresh.url(), tables),
        }
    }

    /// What the log says about a table that is not there.
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
