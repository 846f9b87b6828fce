//! Preparation of statements: by name once per connection, or without a name behind a pooler in transaction mode.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use super::error::is_outdated;
use super::learned::LearnedTypes;
use super::statement::PostgresStatement;

/// Maximum prepared statements per connection.
const MAX_STATEMENTS: usize = 512;

/// Prepared statements of a connection.
pub(super) enum Preparation {
    /// Statements are prepared by name once, and stay with the session.
    Named(Mutex<HashMap<String, tokio_postgres::Statement>>),
    /// The session ends with the transaction. Only the types of parameters are remembered.
    Unnamed {
        learned: Arc<LearnedTypes>,
        /// Whether the current transaction has prepared statements by name, which must not outlive it.
        has_names: AtomicBool,
    },
}

/// A statement that can run.
pub(super) enum Prepared {
    Named(tokio_postgres::Statement),
    /// Types of the parameters. The statement is parsed when it runs, in the same round trip.
    Unnamed(Arc<[Type]>),
}

impl Preparation {
    pub(super) fn named() -> Self {
        Self::Named(Mutex::default())
    }

    pub(super) fn unnamed(learned: Arc<LearnedTypes>) -> Self {
        Self::Unnamed {
            learned,
            has_names: AtomicBool::new(false),
        }
    }

    /// Returns the statement if that takes no round trip.
    pub(super) fn get(&self, statement: &PostgresStatement<'_>) -> Option<Prepared> {
        match self {
            Self::Named(statements) => lock(statements)
                .get(statement.sql())
                .cloned()
                .map(Prepared::Named),
            Self::Unnamed { learned, .. } => learned.get(statement).map(Prepared::Unnamed),
        }
    }

    /// Prepares a statement. Without names this is possible in a transaction only, and its names end with it.
    pub(super) async fn prepare(
        &self,
        client: &Client,
        statement: &PostgresStatement<'_>,
    ) -> Result<Prepared, tokio_postgres::Error> {
        let sql = statement.sql();
        match self {
            Self::Named(statements) => {
                let prepared = client.prepare(sql).await?;
                let mut statements = lock(statements);
                if statements.len() >= MAX_STATEMENTS {
                    statements.clear();
                }
                statements.insert(sql.to_owned(), prepared.clone());
                Ok(Prepared::Named(prepared))
            }
            Self::Unnamed { learned, has_names } => {
                let had_names = has_names.swap(true, Ordering::Relaxed);
                let prepared = client.prepare(sql).await?;
                match learned.add(statement, &prepared) {
                    Some(types) => {
                        // The name is closed when `prepared` is dropped, before the end of the transaction.
                        has_names.store(had_names, Ordering::Relaxed);
                        Ok(Prepared::Unnamed(types))
                    }
                    None => Ok(Prepared::Named(prepared)),
                }
            }
        }
    }

    /// Whether names were left behind that only the end of the transaction has removed. The driver still relies on
    /// some of them, so the connection cannot be used again.
    pub(super) fn has_names(&self) -> bool {
        match self {
            Self::Named(_) => false,
            Self::Unnamed { has_names, .. } => has_names.load(Ordering::Relaxed),
        }
    }

    /// Notes that the current transaction prepares statements by name, which must not outlive it.
    pub(super) fn use_names(&self) {
        match self {
            Self::Named(_) => {}
            Self::Unnamed { has_names, .. } => has_names.store(true, Ordering::Relaxed),
        }
    }

    /// Removes a statement that no longer fits the schema. Returns whether running it again may succeed.
    pub(super) fn forget_outdated(&self, sql: &str, error: &tokio_postgres::Error) -> bool {
        match self {
            Self::Named(statements) => {
                let outdated = is_outdated(error);
                if outdated {
                    lock(statements).remove(sql);
                }
                outdated
            }
            // Another type of a parameter is an error of class 42, or one of its format.
            Self::Unnamed { learned, .. } => {
                let code = error.code().map_or("", SqlState::code);
                is_outdated(error)
                    || error.code() == Some(&SqlState::DUPLICATE_PSTATEMENT)
                    || (code.starts_with("42") || code == "22P03") && learned.forget(sql)
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
