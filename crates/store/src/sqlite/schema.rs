//! Bringing the database's tables to what the models say, and finding out where they differ.

use model_resource_schema::column::Table;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::ddl;
use super::fault::fault;
use crate::error::{Error, Result};

/// Applies the migrations that are missing.
///
/// Foreign keys are off meanwhile: SQLite changes most things about a table by making a new one and dropping the old
/// one, which would delete or refuse the rows that reference it. What the migrations leave is checked afterwards.
pub(super) fn migrate(connection: &mut Connection, runner: &refinery::Runner) -> Result<()> {
    connection
        .pragma_update(None, "foreign_keys", false)
        .map_err(fault)?;
    let report = runner.run(connection);
    connection
        .pragma_update(None, "foreign_keys", true)
        .map_err(fault)?;
    let report = report.map_err(|error| Error::Failed(format!("migrating: {}", with_causes(&error))))?;
    if report.applied_migrations().is_empty() {
        Ok(())
    } else {
        check_references(connection)
    }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn check_references(connection: &Connection) -> Result<()> {
    let sql = "SELECT DISTINCT \"table\", \"parent\" FROM pragma_foreign_key_check";
    let mut prepared = connection.prepare(sql).map_err(fault)?;
    let rows = prepared.query_map((), |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(format!("{table} reference rows of {parent}"))
    });
    let broken: Vec<String> = rows
        .map_err(fault)?
        .collect::<rusqlite::Result<_>>()
        .map_err(fault)?;
    if broken.is_empty() {
        return Ok(());
    }
    Err(Error::Failed(format!(
        "after the migrations, rows of {} that do not exist",
        broken.join(", and of ")
    )))
}

/// Creates the tables that are missing, all of them or none.
pub(super) fn create(connection: &mut Connection, tables: &[&'static Table]) -> Result<()> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate).map_err(fault)?;
    for table in tables {
        transaction
            .execute_batch(&ddl::create_table_sql(table))
            .map_err(fault)?;
    }
    transaction.commit().map_err(fault)
}

/// Fails with the tables and columns that are missing.
pub(super) fn verify(connection: &Connection, tables: &[&'static Table]) -> Result<()> {
    let mut missing = Vec::new();
    for table in tables {
        let present = columns(connection, table)?;
        if present.is_empty() {
            missing.push(format!(
                "table `{}` of model {} does not exist",
                table.name, table.model
            ));
            continue;
        }
        for column in table
            .columns
            .iter()
            .filter(|column| !present.iter().any(|name| name == column.name))
        {
            missing.push(format!(
                "table `{}` of model {} has no column `{}`",
                table.name, table.model, column.name
            ));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::Failed(format!(
        "{}: add a migration that creates what is missing",
        missing.join("; ")
    )))
}

fn columns(connection: &Connection, table: &Table) -> Result<Vec<String>> {
    let mut prepared = connection
        .prepare("SELECT name FROM pragma_table_xinfo(?)")
        .map_err(fault)?;
    let names = prepared
        .query_map([table.name], |row| row.get(0))
        .map_err(fault)?;
    names.collect::<rusqlite::Result<_>>().map_err(fault)
}
