//! Runs migrations.

use model_resource_schema::value::ValueRef;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::error::map_error;
use super::executor::Executor;
use super::migration_lock::MigrationLock;
use super::server::PostgresServer;
use super::session::SessionKind;
use super::statement::PostgresStatement;
use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::migration_history::{self, HISTORY, MigrationHistory, REFINERY_HISTORY};
use crate::migration_plan::{MigrationRun, MigrationTarget, plan};
use crate::migration_status::AppliedMigration;
use crate::sql::SqlWriter as _;

/// Runs the migrations up to a target, each with its row of the history in one transaction, and returns their names.
/// Waits for another process that has the lock.
pub(super) async fn migrate(
    server: &PostgresServer,
    known: &[Migration],
    target: MigrationTarget,
) -> Result<Vec<String>> {
    let lock = MigrationLock::acquire(server).await?;
    let outcome = run_all(server, known, target).await;
    lock.release().await;
    outcome
}

async fn run_all(
    server: &PostgresServer,
    known: &[Migration],
    target: MigrationTarget,
) -> Result<Vec<String>> {
    let mut connection = server.connect(SessionKind::Maintenance).await?;
    let client = connection.client();
    let history = history(client).await?;
    // Nothing is adopted from a history that this program cannot follow.
    let runs = plan(known, &history.applied, target)?;
    if !history.is_own {
        create_history(client).await.map_err(|error| map_error(&error))?;
    }
    let mut done = Vec::new();
    for next in runs {
        run(client, &next)
            .await
            .map_err(|error| next.failed(&Error::with_causes(&error)))?;
        done.push(next.migration.label());
    }
    Ok(done)
}

/// Runs a migration. Only by simple queries: behind a pooler, other clients may have prepared statements of the same names.
async fn run(client: &mut Client, run: &MigrationRun<'_>) -> Result<(), tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(run.sql).await?;
    transaction
        .batch_execute(&migration_history::write_sql(run))
        .await?;
    transaction.commit().await
}

async fn create_history(client: &mut Client) -> Result<(), tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(migration_history::CREATE).await?;
    if !transaction
        .simple_query(&find_sql(REFINERY_HISTORY))
        .await?
        .iter()
        .all(is_no_row)
    {
        transaction.batch_execute(migration_history::ADOPT).await?;
    }
    transaction.commit().await
}

/// Reads the applied migrations under the lock.
async fn history(client: &Client) -> Result<MigrationHistory> {
    for (table, select) in TABLES {
        let found = client.simple_query(&find_sql(table)).await;
        if found.map_err(|error| map_error(&error))?.iter().all(is_no_row) {
            continue;
        }
        let rows = client.simple_query(select).await;
        let rows = rows.map_err(|error| map_error(&error))?;
        let applied = rows.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                Some(applied(|column| row.get(column).unwrap_or_default().to_owned()))
            }
            _ => None,
        });
        return Ok(MigrationHistory {
            is_own: table == HISTORY,
            applied: applied.collect::<Result<_>>()?,
        });
    }
    Ok(MigrationHistory::default())
}

/// Tables with a history, and the queries that list them.
const TABLES: [(&str, &str); 2] = [
    (HISTORY, migration_history::SELECT),
    (REFINERY_HISTORY, migration_history::SELECT_REFINERY),
];

fn find_sql(table: &str) -> String {
    format!("SELECT 1 WHERE to_regclass('{table}') IS NOT NULL")
}

fn is_no_row(message: &SimpleQueryMessage) -> bool {
    !matches!(message, SimpleQueryMessage::Row(_))
}

/// Reads the applied migrations.
pub(super) async fn migration_history(executor: &Executor) -> Result<MigrationHistory> {
    for (table, select) in TABLES {
        let exists = PostgresStatement::ready("SELECT 1 WHERE to_regclass($1) IS NOT NULL")
            .bind_one(ValueRef::Text(table));
        if executor.read(&exists).await?.is_empty() {
            continue;
        }
        let rows = executor.read(&PostgresStatement::ready(select)).await?;
        let mut history = MigrationHistory {
            is_own: table == HISTORY,
            applied: Vec::new(),
        };
        for row in &rows {
            let version: i64 = row.try_get(0).map_err(|error| map_error(&error))?;
            let mut texts = [version.to_string(), String::new(), String::new(), String::new()];
            for (column, text) in texts.iter_mut().enumerate().skip(1) {
                *text = row.try_get(column).map_err(|error| map_error(&error))?;
            }
            history
                .applied
                .push(applied(|column| std::mem::take(&mut texts[column]))?);
        }
        return Ok(history);
    }
    Ok(MigrationHistory::default())
}

/// Returns a migration of the history from the texts of its columns.
fn applied(mut text: impl FnMut(usize) -> String) -> Result<AppliedMigration> {
    let version = text(0);
    let version = version
        .parse()
        .map_err(|_| Error::Failed(format!("table {HISTORY} has a row with the version {version}")))?;
    Ok(AppliedMigration {
        version,
        name: text(1),
        checksum: text(2),
        applied_at: text(3),
    })
}
