//! Handwritten SQL.

use std::sync::Arc;

use model_resource_schema::data_type::DataType;
use model_resource_schema::value::ValueRef;
use rusqlite::types::Value as Stored;
use rusqlite::{CachedStatement, Connection};

use super::codec;
use super::error::map_error;
use super::statement::SqliteStatement;
use super::violation;
use crate::batch::{ByteSized, RowBatch};
use crate::error::{Error, Result};
use crate::raw_sql::{RawRow, Sql, fetch_only_reads, wrong_count};
use crate::sql::SqlWriter as _;

/// A row copied from a handwritten statement.
pub(crate) struct SqliteRawRow {
    names: Arc<[String]>,
    values: Vec<Stored>,
}

/// Returns the rows of a statement, which may write only inside a transaction.
pub(super) fn fetch(connection: &Connection, sql: &Sql, may_write: MayWrite) -> Result<Vec<SqliteRawRow>> {
    let mut prepared = prepare(connection, sql)?;
    if may_write == MayWrite::No && !prepared.readonly() {
        return Err(fetch_only_reads());
    }
    let names: Arc<[String]> = prepared.column_names().into_iter().map(str::to_owned).collect();
    let (mut batch, mut rows) = (RowBatch::new(), prepared.raw_query());
    while let Some(row) = rows.next().map_err(violation::of_raw_sql)? {
        let values = (0..names.len()).map(|column| row.get(column));
        batch.add(SqliteRawRow {
            names: Arc::clone(&names),
            values: values.collect::<rusqlite::Result<_>>().map_err(map_error)?,
        });
        batch.check()?;
    }
    Ok(batch.rows)
}

/// Whether a query finds a row.
pub(super) fn finds_any(connection: &Connection, query: &Sql) -> Result<bool> {
    let mut prepared = prepare(connection, query)?;
    let row = prepared
        .raw_query()
        .next()
        .map_err(violation::of_raw_sql)?
        .is_some();
    Ok(row)
}

/// Whether a fetched statement may write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MayWrite {
    Yes,
    No,
}

/// Runs a statement and returns the number of changed rows.
pub(super) fn execute(connection: &Connection, sql: &Sql) -> Result<u64> {
    let mut prepared = prepare(connection, sql)?;
    let mut rows = prepared.raw_query();
    while rows.next().map_err(violation::of_raw_sql)?.is_some() {}
    // SQLite keeps the count of the statement before.
    if sql.is_definition() {
        return Ok(0);
    }
    Ok(connection.changes())
}

/// Prepares the statement and binds its parameters by their names.
fn prepare<'c>(connection: &'c Connection, sql: &Sql) -> Result<CachedStatement<'c>> {
    let mut prepared = SqliteStatement::ready(sql.text()).prepare(connection)?;
    let (count, values) = (prepared.parameter_count(), sql.parameters());
    for position in 1..=count {
        let name = prepared.parameter_name(position).unwrap_or("?");
        let number = name
            .strip_prefix('$')
            .and_then(|number| number.parse::<usize>().ok());
        let Some(number) = number else {
            return Err(Error::Failed(format!(
                "`{name}` is not a parameter of raw SQL: write `$1`, `$2`"
            )));
        };
        let value = number.checked_sub(1).and_then(|number| values.get(number));
        let value = value.ok_or_else(|| wrong_count(count, values.len()))?;
        prepared
            .raw_bind_parameter(position, codec::encode(value.borrow()))
            .map_err(map_error)?;
    }
    // Each name occurs once among the parameters, so that no number is missing.
    if count == values.len() {
        Ok(prepared)
    } else {
        Err(wrong_count(count, values.len()))
    }
}

impl RawRow for SqliteRawRow {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    fn decode(&self, position: usize, kind: DataType) -> Option<ValueRef<'_>> {
        codec::decode(kind, (&self.values[position]).into())
    }

    fn type_name(&self, position: usize) -> String {
        self.values[position].data_type().to_string()
    }
}

impl ByteSized for SqliteRawRow {
    fn size(&self) -> usize {
        let size = |value: &Stored| match value {
            Stored::Text(text) => text.len(),
            Stored::Blob(bytes) => bytes.len(),
            Stored::Null | Stored::Integer(_) | Stored::Real(_) => 0,
        };
        let values = self.values.iter().map(|value| size_of::<Stored>() + size(value));
        size_of::<Self>() + values.sum::<usize>()
    }
}
