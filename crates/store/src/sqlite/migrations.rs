//! Runs migrations.

use std::time::Duration;

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use super::error::map_error;
use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::migration_history::{self, HISTORY, MigrationHistory, REFINERY_HISTORY};
use crate::migration_plan::{MigrationRun, MigrationTarget, plan};
use crate::migration_status::AppliedMigration;

/// Interval between attempts to migrate a database that another process has locked.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum bytes of a failing statement in an error.
const MAX_STATEMENT: usize = 200;

/// Runs the migrations up to a target, each with its row of the history in one transaction, and returns their names.
/// Waits for another process that has the lock.
///
/// Disables foreign keys meanwhile: SQLite alters most tables by creating a new one and dropping the old one, which
/// would delete or block referencing rows. References are checked before each commit.
pub(super) fn migrate(
    connection: &mut Connection,
    known: &[Migration],
    target: MigrationTarget,
) -> Result<Vec<String>> {
    let unchecked = WithoutForeignKeys::begin(connection)?;
    let mut done = Vec::new();
    loop {
        match run_next(&mut *unchecked.0, known, target) {
            Ok(Some(label)) => done.push(label),
            Ok(None) => return Ok(done),
            Err(StepFailure::Busy) => {
                tracing::warn!(
                    "waiting for another process, which holds the lock of the database, to migrate it"
                );
                std::thread::sleep(RETRY_INTERVAL);
            }
            Err(StepFailure::Failed(error)) => return Err(error),
        }
    }
}

/// Failure of a step.
enum StepFailure {
    /// Another process has the lock.
    Busy,
    Failed(Error),
}

impl From<rusqlite::Error> for StepFailure {
    fn from(error: rusqlite::Error) -> Self {
        if is_busy(&error) {
            return Self::Busy;
        }
        Self::Failed(map_error(error))
    }
}

impl From<Error> for StepFailure {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// Runs the next migration in a transaction; `None` if there is none. What is applied is read under the lock, since
/// another process may have been first.
fn run_next(
    connection: &mut Connection,
    known: &[Migration],
    target: MigrationTarget,
) -> Result<Option<String>, StepFailure> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let history = history(&transaction)?;
    if !history.is_own {
        transaction.execute_batch(migration_history::CREATE)?;
        if has_table(&transaction, REFINERY_HISTORY)? {
            transaction.execute_batch(migration_history::ADOPT)?;
        }
    }
    let runs = plan(known, &history.applied, target)?;
    if let Some(next) = runs.first() {
        run(&transaction, next)?;
    }
    if !runs.is_empty() || !history.is_own {
        check_references(&transaction)?;
    }
    transaction.commit()?;
    Ok(runs.first().map(|run| run.migration.label()))
}

fn run(transaction: &Transaction<'_>, run: &MigrationRun<'_>) -> Result<(), StepFailure> {
    let ran = transaction.execute_batch(run.sql);
    ran.map_err(|error| {
        if is_busy(&error) {
            return StepFailure::Busy;
        }
        StepFailure::Failed(run.failed(&cause(&error)))
    })?;
    if transaction.is_autocommit() {
        return Err(run
            .failed("it ends its transaction: remove COMMIT and ROLLBACK")
            .into());
    }
    transaction
        .execute_batch(&migration_history::write_sql(run))
        .map_err(|error| StepFailure::Failed(run.failed(&error.to_string())))
}

/// Describes why a migration failed. The driver's own message repeats all statements from the failing one on.
fn cause(error: &rusqlite::Error) -> String {
    let rusqlite::Error::SqlInputError { msg, sql, .. } = error else {
        return error.to_string();
    };
    let is_comment = |line: &&str| line.trim_start().starts_with("--");
    let code = sql.lines().filter(|line| !is_comment(line));
    let words = code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    let statement = words.split_once("; ").map_or(words.as_str(), |(first, _)| first);
    let end = statement.floor_char_boundary(MAX_STATEMENT);
    let cut = if end < statement.len() { " .." } else { "" };
    format!("{msg} in {}{cut}", &statement[..end])
}

/// A connection with foreign keys disabled until dropped, even by a panic.
struct WithoutForeignKeys<'c>(&'c mut Connection);

impl<'c> WithoutForeignKeys<'c> {
    fn begin(connection: &'c mut Connection) -> Result<Self> {
        connection
            .pragma_update(None, "foreign_keys", false)
            .map_err(map_error)?;
        Ok(Self(connection))
    }
}

impl Drop for WithoutForeignKeys<'_> {
    fn drop(&mut self) {
        // A migration that failed may have left the second one, which it sets while it renames a table.
        for (pragma, value) in [("foreign_keys", true), ("legacy_alter_table", false)] {
            if let Err(error) = self.0.pragma_update(None, pragma, value) {
                tracing::error!(%error, "cannot restore {pragma} after the migrations");
            }
        }
    }
}

fn check_references(connection: &Connection) -> Result<(), StepFailure> {
    let sql = "SELECT DISTINCT \"table\", \"parent\" FROM pragma_foreign_key_check";
    let mut prepared = connection.prepare(sql)?;
    let rows = prepared.query_map((), |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(format!("{table} reference rows of {parent}"))
    })?;
    let broken: Vec<String> = rows.collect::<rusqlite::Result<_>>()?;
    if broken.is_empty() {
        return Ok(());
    }
    let broken = broken.join(", and of ");
    Err(Error::Failed(format!(
        "after the migrations, rows of {broken} that do not exist"
    ))
    .into())
}

/// Reads the applied migrations.
pub(super) fn migration_history(connection: &Connection) -> Result<MigrationHistory> {
    history(connection).map_err(map_error)
}

fn history(connection: &Connection) -> rusqlite::Result<MigrationHistory> {
    let is_own = has_table(connection, HISTORY)?;
    let sql = if is_own {
        migration_history::SELECT
    } else if has_table(connection, REFINERY_HISTORY)? {
        migration_history::SELECT_REFINERY
    } else {
        return Ok(MigrationHistory::default());
    };
    let mut prepared = connection.prepare(sql)?;
    let rows = prepared.query_map((), |row| {
        Ok(AppliedMigration {
            version: row.get(0)?,
            name: row.get(1)?,
            checksum: row.get(2)?,
            applied_at: row.get(3)?,
        })
    })?;
    let applied = rows.collect::<rusqlite::Result<_>>()?;
    Ok(MigrationHistory { is_own, applied })
}

/// Whether a table exists, by a query, because `Connection::table_exists` looks into the connection's copy of the schema,
/// which may be old.
fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    connection.query_row(sql, [name], |row| row.get(0))
}
