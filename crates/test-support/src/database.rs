//! The database of the tests: SQLite, or PostgreSQL with `TEST_DATABASE=postgres`.

use std::fmt::Debug;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use model_resource_testing::{PostgresSession, TemporaryDatabase};

use crate::write_lock::WriteLock;
use crate::{postgres, sqlite};

/// A temporary database of the test kit, dropped with the last clone of this value, and direct access to its contents.
#[derive(Clone)]
pub struct TestDatabase {
    database: TemporaryDatabase,
    /// Kept open, since connecting takes longer than most statements.
    session: Arc<OnceLock<Mutex<PostgresSession>>>,
}

impl TestDatabase {
    /// Creates an empty database of the configured kind.
    pub fn create() -> Self {
        let database = if is_postgres() {
            TemporaryDatabase::postgres()
        } else {
            TemporaryDatabase::sqlite_file()
        };
        Self {
            database,
            session: Arc::default(),
        }
    }

    /// Returns the database of the test kit.
    pub(crate) fn temporary(&self) -> TemporaryDatabase {
        self.database.clone()
    }

    /// Whether the database is PostgreSQL.
    pub fn is_postgres(&self) -> bool {
        self.database.is_postgres()
    }

    /// Returns the URL, as `Store::open` takes it: that of the pooler, if the tests have one.
    pub fn url(&self) -> String {
        match std::env::var("TEST_POOLER_URL") {
            Ok(pooler) => self.database.url_behind(&pooler),
            Err(_) => self.database.url(),
        }
    }

    /// Returns the file of a SQLite database.
    fn file(&self) -> PathBuf {
        PathBuf::from(self.database.url().trim_start_matches("sqlite:"))
    }

    #[track_caller]
    fn query(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        let open = || Mutex::new(PostgresSession::open(&self.database.url()));
        let session = self.session.get_or_init(open).lock();
        session.unwrap_or_else(PoisonError::into_inner).query(sql)
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
        if self.is_postgres() {
            postgres::rows(|sql| self.query(sql))
        } else {
            sqlite::rows(&self.file())
        }
    }

    /// Returns the first column of the first row.
    pub fn value<T: FromStr<Err: Debug>>(&self, sql: &str) -> T {
        let text = if self.is_postgres() {
            self.query(sql)[0][0].clone().unwrap()
        } else {
            sqlite::value(&self.file(), sql)
        };
        text.parse().unwrap()
    }

    /// Runs any number of statements.
    pub fn execute(&self, sql: &str) {
        if self.is_postgres() {
            self.query(sql);
        } else {
            sqlite::execute(&self.file(), sql);
        }
    }

    /// Returns the columns of all tables as `table.column`, without the framework's own tables.
    pub fn columns(&self) -> Vec<String> {
        let mut columns = if self.is_postgres() {
            postgres::columns(|sql| self.query(sql))
        } else {
            sqlite::columns(&self.file())
        };
        let own = [
            "model_resource_migrations.",
            "model_resource_secrets.",
            "model_resource_responses.",
        ];
        columns.retain(|column| !own.iter().any(|table| column.starts_with(table)));
        columns.sort();
        columns
    }

    /// Returns the raw bytes of everything stored, so that no format can hide a secret.
    pub fn bytes(&self) -> Vec<u8> {
        if self.is_postgres() {
            return self.rows().join("\n").into_bytes();
        }
        let file = self.file();
        let mut bytes = fs::read(&file).unwrap();
        bytes.extend(fs::read(format!("{}-wal", file.display())).unwrap());
        bytes
    }

    /// Blocks every write to these tables until the lock is released. Reads are not blocked.
    pub fn lock(&self, tables: &[&str]) -> WriteLock {
        if self.is_postgres() {
            WriteLock::of_tables(&self.database.url(), tables)
        } else {
            WriteLock::of_file(&self.file())
        }
    }

    /// Returns the database's error message for a missing table.
    pub fn missing_table_message(&self, table: &str) -> String {
        if self.is_postgres() {
            format!("relation \"{table}\" does not exist")
        } else {
            format!("no such table: {table}")
        }
    }
}

pub(crate) fn is_postgres() -> bool {
    match std::env::var("TEST_DATABASE").as_deref() {
        Err(_) | Ok("sqlite") => false,
        Ok("postgres") => true,
        Ok(other) => panic!("TEST_DATABASE is sqlite or postgres, not {other:?}"),
    }
}
