//! Handwritten SQL.

use std::ops::ControlFlow;

use model_resource_schema::data_type::DataType;
use model_resource_schema::value::ValueRef;
use tokio_postgres::Column;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use super::codec::{self, RawValue};
use super::error::StatementError;
use super::executor::Executor;
use super::numeric;
use super::statement::PostgresStatement;
use super::transaction::{FailedCommit, OpenTransaction};
use super::violation;
use crate::backend::ReadLength;
use crate::batch::{ByteSized, RowBatch};
use crate::error::{Error, Result};
use crate::raw_sql::{RawRow, Sql, fetch_only_reads};
use crate::sql::SqlWriter as _;

/// A row of a handwritten statement.
pub(crate) struct PostgresRawRow(tokio_postgres::Row);

/// Returns the rows of a statement, which may write only inside a transaction.
pub(super) async fn fetch(executor: &Executor, sql: &Sql, length: ReadLength) -> Result<Vec<PostgresRawRow>> {
    let mut batch = RowBatch::new();
    let mut take = |row| {
        batch.add(PostgresRawRow(row));
        match batch.check() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    let statement = statement(sql);
    let fetched = match length {
        ReadLength::Short => executor.each(&statement, &mut take).await,
        ReadLength::Long => executor.fetch(&statement, &mut take).await,
    };
    fetched.map_err(map_raw_error)?;
    batch.check().map(|()| batch.rows)
}

/// Runs a statement and returns the number of changed rows.
pub(super) async fn execute(executor: &Executor, sql: &Sql) -> Result<u64> {
    let changed = executor.execute(&statement(sql)).await;
    changed.map_err(map_raw_error)
}

/// Inserts a response and commits the transaction.
pub(super) async fn commit_with_response(transaction: &OpenTransaction, insert: &Sql) -> Result<()> {
    match transaction.commit_with(&statement(insert)).await {
        Ok(()) => Ok(()),
        Err(FailedCommit::Write(error)) => Err(map_raw_error(error).of_response()),
        Err(FailedCommit::Commit(error)) => Err(error),
    }
}

fn statement(sql: &Sql) -> PostgresStatement<'_> {
    let statement = PostgresStatement::ready(sql.text());
    sql.parameters()
        .iter()
        .fold(statement, |statement, value| statement.bind_raw(value.borrow()))
}

fn map_raw_error(error: StatementError) -> Error {
    match error {
        StatementError::Database(error) if error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => {
            fetch_only_reads()
        }
        StatementError::Database(error) => violation::of_raw_sql(&error),
        StatementError::Other(error) => error,
    }
}

impl RawRow for PostgresRawRow {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.columns().iter().map(Column::name)
    }

    fn decode(&self, position: usize, kind: DataType) -> Option<ValueRef<'_>> {
        let ty = self.0.columns().get(position)?.type_();
        let sent: Option<RawValue<'_>> = self.0.try_get(position).ok()?;
        match (kind, ty, &sent) {
            // `sum` of integers and `avg` return NUMERIC.
            (DataType::I16 | DataType::I32 | DataType::I64, &Type::NUMERIC, Some(RawValue(bytes))) => {
                numeric::read(bytes, 0).map(ValueRef::Int)
            }
            (DataType::F64, &Type::NUMERIC, Some(RawValue(bytes))) => {
                numeric::read_double(bytes).map(ValueRef::Double)
            }
            (DataType::F64, &Type::FLOAT4, Some(RawValue(bytes))) => {
                let single = f32::from_be_bytes((*bytes).try_into().ok()?);
                Some(ValueRef::Double(single.into()))
            }
            _ => codec::decode(kind, ty, sent),
        }
    }

    fn type_name(&self, position: usize) -> String {
        let column = self.0.columns().get(position);
        column
            .map_or("nothing", |column| column.type_().name())
            .to_owned()
    }
}

impl ByteSized for PostgresRawRow {
    fn size(&self) -> usize {
        size_of::<Self>() + self.0.raw_size_bytes()
    }
}
