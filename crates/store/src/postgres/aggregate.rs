//! Groups of rows.

use std::ops::ControlFlow;

use model_resource_schema::column::Table;
use model_resource_schema::model::Record;
use model_resource_schema::query::{AnyAggregate, AnyGroupValue, exact_scale};
use model_resource_schema::value::{Value, ValueRef};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use super::codec::{self, RawValue};
use super::error::StatementError;
use super::executor::Executor;
use super::numeric;
use super::statement::PostgresStatement;
use crate::batch::RowBatch;
use crate::coerce::stored_mismatch;
use crate::error::{Error, Result};
use crate::group_row::{finite, sum_of_units};
use crate::sql::aggregate::select_groups;

/// Returns the groups of a query: their keys and aggregates.
pub(super) async fn aggregate(executor: &Executor, query: &AnyAggregate) -> Result<Vec<Record>> {
    let statement: PostgresStatement<'_> = select_groups(query)?;
    let statement = statement.about(query.table());
    let (mut groups, mut outcome) = (RowBatch::new(), Ok(()));
    let mut take = |row: Row| {
        outcome = group(query, &row).and_then(|group| {
            groups.add(group);
            groups.check()
        });
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    executor.each(&statement, &mut take).await.map_err(map_error)?;
    outcome.map(|()| groups.rows)
}

fn group(query: &AnyAggregate, row: &Row) -> Result<Record> {
    let values = query.values().enumerate();
    let values = values.map(|(position, value)| decode(query.table(), value, row, position));
    Ok(Record::new(values.collect::<Result<_>>()?))
}

fn decode(table: &Table, value: AnyGroupValue, row: &Row, position: usize) -> Result<Value> {
    let kind = value.data_type(table);
    let ty = row
        .columns()
        .get(position)
        .map_or(&Type::UNKNOWN, |column| column.type_());
    let sent: Option<RawValue<'_>> = row.try_get(position).ok().flatten();
    if let (AnyGroupValue::Sum(column), &Type::NUMERIC, Some(RawValue(bytes))) = (value, ty, &sent) {
        let data_type = table.columns[column].data_type;
        let units = exact_scale(data_type).and_then(|scale| numeric::read_wide(bytes, scale));
        return sum_of_units(units.ok_or(Error::OutOfRange)?, data_type);
    }
    let decoded = codec::decode(kind, ty, sent).map(ValueRef::to_value);
    let column = value.column().unwrap_or(table.columns.len());
    finite(decoded.ok_or_else(|| stored_mismatch(table, column, kind, Some(ty.name())))?)
}

/// The server reports a sum of floating-point numbers that exceeds their range.
fn map_error(error: StatementError) -> Error {
    match error {
        StatementError::Database(error) if error.code() == Some(&SqlState::NUMERIC_VALUE_OUT_OF_RANGE) => {
            Error::OutOfRange
        }
        error => error.into(),
    }
}
