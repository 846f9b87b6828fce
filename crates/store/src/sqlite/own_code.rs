//! An application's own code on a connection, which others use before and after it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ErrorCode};

use super::begin_commit::snapshot;
use super::connection::BUSY_TIMEOUT;
use super::database::SqliteDatabase;
use super::error::map_error;
use super::task::Task;
use super::violation;
use crate::error::{Error, Result};

/// Pragmas whose argument is no setting.
const QUESTIONS: [&str; 11] = [
    "foreign_key_check",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "pragma_list",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// Savepoint that a transaction begins around the code.
const NESTED: &str = "nested";

thread_local! {
    /// Statements that the code on this thread may run, if some runs.
    static PERMITTED: Cell<Option<Permitted>> = const { Cell::new(None) };
    /// Whether statements of the connection of this thread are checked.
    static IS_CHECKED: Cell<bool> = const { Cell::new(false) };
}

/// Statements that the code may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Permitted {
    Reads,
    Writes,
}

impl SqliteDatabase {
    /// Runs code that reads, in one snapshot. It is interrupted if its caller is dropped, or after the time limit.
    pub(crate) async fn run_reading<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let counters = Arc::clone(&self.pool.counters);
        self.search(move |connection| {
            counters.statements.fetch_add(1, Ordering::Relaxed);
            let _snapshot = snapshot(connection)?;
            run(connection, Permitted::Reads, work)
        })
        .await
    }

    /// Runs code that writes, in the transaction that this is the database in. If it fails, the caller undoes it.
    pub(crate) async fn run_writing<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.pool.counters.written.fetch_add(1, Ordering::Relaxed);
        let work = move |connection: &Connection| run(connection, Permitted::Writes, work);
        self.writes().ask(|reply| Task::read(work, reply)).await
    }
}

/// Runs code on a connection. Statements that would outlive it are refused, when they are prepared.
fn run<T>(
    connection: &Connection,
    permitted: Permitted,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T> {
    /// Ends the restrictions even after a panic, which ends the code but not the thread.
    struct EndOnDrop<'c>(&'c Connection);
    impl Drop for EndOnDrop<'_> {
        fn drop(&mut self) {
            PERMITTED.set(None);
            if let Err(error) = self.0.busy_timeout(BUSY_TIMEOUT) {
                tracing::error!(%error, "cannot set the time limit of locks");
            }
        }
    }
    // Only once, since it expires the statements that are prepared already.
    if !IS_CHECKED.replace(true) {
        connection.authorizer(Some(check)).map_err(map_error)?;
    }
    PERMITTED.set(Some(permitted));
    let _end = EndOnDrop(connection);
    work(connection).map_err(Error::from)
}

fn check(context: AuthContext<'_>) -> Authorization {
    let is_permitted = match PERMITTED.get() {
        None => true,
        Some(Permitted::Reads) => reads(&context.action),
        Some(Permitted::Writes) => ends_with_the_code(&context.action),
    };
    if is_permitted {
        Authorization::Allow
    } else {
        Authorization::Deny
    }
}

fn reads(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Function { .. }
        | AuthAction::Recursive
        | AuthAction::Pragma { .. } => ends_with_the_code(action),
        _ => false,
    }
}

/// Whether a statement has no effect on those that others run on the connection, apart from the rows and tables that it
/// writes. A temporary table would hide one of the database from them.
fn ends_with_the_code(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Transaction { .. } | AuthAction::Attach { .. } | AuthAction::Detach { .. } => false,
        AuthAction::CreateTempIndex { .. }
        | AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempTrigger { .. }
        | AuthAction::CreateTempView { .. } => false,
        AuthAction::Savepoint { savepoint_name, .. } => !savepoint_name.eq_ignore_ascii_case(NESTED),
        AuthAction::Pragma {
            pragma_name,
            pragma_value,
        } => pragma_value.is_none() || QUESTIONS.contains(&pragma_name.to_ascii_lowercase().as_str()),
        _ => true,
    }
}

/// Maps an error of an application's own statement as one of raw SQL: a violated constraint is
/// [`StoreError::Invalid`](crate::StoreError::Invalid), for the object as a whole. A query for one row that returns none is
/// [`StoreError::Missing`](crate::StoreError::Missing).
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        if let rusqlite::Error::QueryReturnedNoRows = error {
            return Error::Missing;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::AuthorizationForStatementDenied) => Error::Failed(
                "a statement on a connection of the store is refused: `sqlite_read` only reads, and transactions, \
                 settings (PRAGMA), attached databases and temporary tables belong to the store; \
                 `Store::sqlite_write` is a transaction, and `Store::begin` begins a longer one"
                    .to_owned(),
            ),
            _ => violation::of_raw_sql(error),
        }
    }
}
