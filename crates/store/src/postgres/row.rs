//! A row received from the server.

use std::sync::{Arc, OnceLock};

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::json;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::value::{Value, ValueRef};
use tokio_postgres::Column;
use tokio_postgres::types::{Kind, Type};

use super::codec::{self, RawValue};
use crate::batch::ByteSized;
use crate::coerce::stored_mismatch;
use crate::error::{Error, Result};
use crate::sink::MapRow;

/// A row with the columns of a table, in the table's order.
///
/// [`Row::value`] cannot fail, and checking every column first would cost as much as reading it. A value of another
/// type therefore reads as null and is recorded; readers call [`PostgresRow::check`] after each row.
pub(super) struct PostgresRow {
    row: tokio_postgres::Row,
    table: &'static Table,
    /// Types of the extra values after the table's columns.
    extra: Arc<[DataType]>,
    foreign: OnceLock<(usize, Option<String>)>,
}

impl PostgresRow {
    pub(super) fn new(row: tokio_postgres::Row, table: &'static Table) -> Self {
        Self::with_extra(row, table, Arc::default())
    }

    /// Creates a row with extra values after the table's columns.
    pub(super) fn with_extra(
        row: tokio_postgres::Row,
        table: &'static Table,
        extra: Arc<[DataType]>,
    ) -> Self {
        Self {
            row,
            table,
            extra,
            foreign: OnceLock::new(),
        }
    }

    /// Fails if a value that was read did not match its column's type.
    pub(super) fn check(&self) -> Result<()> {
        let Some((column, found)) = self.foreign.get() else {
            return Ok(());
        };
        let (expected, found) = (self.kind(*column), found.as_deref());
        Err(stored_mismatch(self.table, *column, expected, found))
    }

    #[inline]
    fn kind(&self, column: usize) -> DataType {
        match self.table.columns.get(column) {
            Some(column) => column.data_type,
            None => self.extra[column - self.table.columns.len()],
        }
    }

    /// Returns the type of a column in the result.
    fn ty(&self, column: usize) -> Option<&Type> {
        self.row.columns().get(column).map(Column::type_)
    }

    /// Maps the row and checks the values that were read.
    pub(super) fn keep<T>(&self, keep: &impl MapRow<T>) -> Result<T> {
        let mapped = keep(self);
        self.check().map(|()| mapped)
    }

    /// Reads the array that follows the table's columns, whose elements are of a type.
    pub(super) fn array(&self, place: usize, kind: DataType) -> Result<Vec<Value>> {
        let mismatch = || Error::Failed(format!("the server returned no array of {kind:?}"));
        let member = match self.ty(place).map(Type::kind) {
            Some(Kind::Array(member)) => member,
            _ => return Err(mismatch()),
        };
        let sent: Vec<RawValue<'_>> = self.row.try_get(place).map_err(|_| mismatch())?;
        let decode = |sent| codec::decode(kind, member, Some(sent)).map(|value| value.to_value());
        sent.into_iter()
            .map(|sent| decode(sent).ok_or_else(mismatch))
            .collect()
    }

    /// Copies the row.
    pub(super) fn to_record(&self) -> Result<Record> {
        let columns = 0..self.table.columns.len() + self.extra.len();
        let record = Record::new(columns.map(|column| self.value(column).to_value()).collect());
        self.check().map(|()| record)
    }
}

impl ByteSized for PostgresRow {
    fn size(&self) -> usize {
        self.row.raw_size_bytes()
    }
}

impl Row for PostgresRow {
    fn value(&self, column: usize) -> ValueRef<'_> {
        let ty = self.ty(column);
        let read = |ty| codec::decode(self.kind(column), ty, self.row.try_get(column).ok()?);
        ty.and_then(read).unwrap_or_else(|| {
            self.foreign
                .get_or_init(|| (column, ty.map(|ty| ty.name().to_owned())));
            ValueRef::Null
        })
    }

    fn write_value(&self, column: usize, out: &mut Vec<u8>) {
        let kind = self.table.columns[column].data_type;
        let sent = self.ty(column).zip(self.row.try_get(column).ok());
        if !sent.is_some_and(|(ty, sent)| codec::write_json(out, kind, ty, sent)) {
            json::write_value(out, self.value(column));
        }
    }
}
