//! Groups of rows.

use model_resource_schema::column::Table;
use model_resource_schema::model::Record;
use model_resource_schema::query::{AnyAggregate, AnyGroupValue};
use model_resource_schema::value::{Value, ValueRef};
use rusqlite::Connection;
use rusqlite::types::ValueRef as Stored;

use super::codec;
use super::error::map_error;
use super::exact_sum::decode_sum;
use super::statement::SqliteStatement;
use crate::batch::RowBatch;
use crate::coerce::stored_mismatch;
use crate::error::{Error, Result};
use crate::group_row::{finite, sum_of_units};
use crate::sql::aggregate::select_groups;

/// Returns the groups of a query: their keys and aggregates.
pub(super) fn aggregate(connection: &Connection, query: &AnyAggregate) -> Result<Vec<Record>> {
    let statement: SqliteStatement<'_> = select_groups(query)?;
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    let mut groups = RowBatch::new();
    while let Some(row) = rows.next().map_err(map_error)? {
        let values = query.values().enumerate().map(|(position, value)| {
            let stored = row.get_ref(position).map_err(map_error)?;
            decode(query.table(), value, stored)
        });
        groups.add(Record::new(values.collect::<Result<_>>()?));
        groups.check()?;
    }
    Ok(groups.rows)
}

fn decode(table: &Table, value: AnyGroupValue, stored: Stored<'_>) -> Result<Value> {
    match (value, stored) {
        (AnyGroupValue::Sum(column), Stored::Blob(bytes)) => {
            let units = decode_sum(bytes).ok_or(Error::OutOfRange)?;
            sum_of_units(units, table.columns[column].data_type)
        }
        (value, stored) => {
            let kind = value.data_type(table);
            let decoded = codec::decode(kind, stored).map(ValueRef::to_value);
            let column = value.column().unwrap_or(table.columns.len());
            finite(decoded.ok_or_else(|| stored_mismatch(table, column, kind, Some(stored.data_type())))?)
        }
    }
}
