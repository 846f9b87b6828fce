//! Finding one row, and running what gives rows.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::model::Record;
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::fault::fault;
use super::row::StoredRow;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::Result;
use crate::row_key::RowKey;
use crate::select::Select;
use crate::sink::Keep;

/// Applies `keep` to the row with this key, if the select includes it.
pub(super) fn find<T>(
    connection: &Connection,
    select: &Select,
    key: &RowKey,
    keep: &impl Keep<T>,
) -> Result<Option<T>> {
    let table = select.table();
    let texts = Texts::of(table);
    let statement = match key {
        RowKey::Primary(key) if select.is_all() => {
            Statement::ready(&texts.find_key).bind_sought(table.key(), key)?
        }
        _ => Statement::new(&texts.select)
            .filter(select)?
            .and_row(table, key)?,
    };
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(fault)?;
    let row = rows.next().map_err(fault)?;
    row.map(|row| StoredRow::new(row, table).keep(keep)).transpose()
}

/// Whether the select includes the row with this key.
pub(super) fn exists(connection: &Connection, select: &Select, key: &RowKey) -> Result<bool> {
    let table = select.table();
    let texts = Texts::of(table);
    let statement = match key {
        RowKey::Primary(key) if select.is_all() => {
            Statement::ready(&texts.exists_key).bind_sought(table.key(), key)?
        }
        _ => Statement::new("SELECT 1 FROM ")
            .name(table.name)
            .filter(select)?
            .and_row(table, key)?,
    };
    let mut prepared = statement.prepare(connection)?;
    prepared.exists(statement.parameters()).map_err(fault)
}

/// Whether a table has a row with this value.
pub(super) fn exists_with(
    connection: &Connection,
    table: &'static Table,
    column: &'static Column,
    value: &Value,
) -> Result<bool> {
    let statement = Statement::new("SELECT 1 FROM ")
        .name(table.name)
        .words(" WHERE ")
        .name(column.database_name);
    let statement = statement.words(" = ").sought(column, value)?;
    let mut prepared = statement.prepare(connection)?;
    prepared.exists(statement.parameters()).map_err(fault)
}

/// How many rows are selected.
pub(super) fn count(connection: &Connection, select: &Select) -> Result<u64> {
    let statement = Statement::new("SELECT count(*) FROM ")
        .name(select.table().name)
        .filter(select)?;
    let mut prepared = statement.prepare(connection)?;
    let count: i64 = prepared
        .query_row(statement.parameters(), |row| row.get(0))
        .map_err(fault)?;
    Ok(count.unsigned_abs())
}

/// Gives the rows of a statement, which has the columns of a table, until one is refused.
pub(super) fn each_record(
    connection: &Connection,
    table: &'static Table,
    statement: &Statement<'_>,
    mut take: impl FnMut(Record) -> Result<()>,
) -> Result<()> {
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(fault)?;
    while let Some(row) = rows.next().map_err(fault)? {
        take(StoredRow::new(row, table).to_record()?)?;
    }
    Ok(())
}
