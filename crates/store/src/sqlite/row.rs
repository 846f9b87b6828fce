//! A row borrowed from a running statement.

use std::cell::OnceCell;

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::json;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::value::ValueRef;
use rusqlite::types::Type;

use super::codec;
use crate::coerce::stored_mismatch;
use crate::error::Result;
use crate::sink::MapRow;

/// A row with the columns of a table, in the table's order.
///
/// [`Row::value`] cannot fail, and checking every column first would cost as much as reading it. A value of another
/// storage class therefore reads as null and is recorded; readers call [`SqliteRow::check`] after each row.
pub(super) struct SqliteRow<'r, 's> {
    row: &'r rusqlite::Row<'s>,
    table: &'static Table,
    /// Types of the extra values after the table's columns.
    extra: &'r [DataType],
    foreign: OnceCell<(usize, Option<Type>)>,
}

impl<'r, 's> SqliteRow<'r, 's> {
    pub(super) fn new(row: &'r rusqlite::Row<'s>, table: &'static Table) -> Self {
        Self::with_extra(row, table, &[])
    }

    /// Creates a row with extra values after the table's columns.
    pub(super) fn with_extra(
        row: &'r rusqlite::Row<'s>,
        table: &'static Table,
        extra: &'r [DataType],
    ) -> Self {
        Self {
            row,
            table,
            extra,
            foreign: OnceCell::new(),
        }
    }

    /// Fails if a value that was read did not match its column's type.
    pub(super) fn check(&self) -> Result<()> {
        let Some((column, found)) = self.foreign.get() else {
            return Ok(());
        };
        Err(stored_mismatch(self.table, *column, self.kind(*column), *found))
    }

    #[inline]
    fn kind(&self, column: usize) -> DataType {
        match self.table.columns.get(column) {
            Some(column) => column.data_type,
            None => self.extra[column - self.table.columns.len()],
        }
    }

    /// Maps the row and checks the values that were read.
    pub(super) fn keep<T>(&self, keep: &impl MapRow<T>) -> Result<T> {
        let mapped = keep(self);
        self.check().map(|()| mapped)
    }

    /// Copies the row.
    pub(super) fn to_record(&self) -> Result<Record> {
        let columns = 0..self.table.columns.len() + self.extra.len();
        let record = Record::new(columns.map(|column| self.value(column).to_value()).collect());
        self.check().map(|()| record)
    }
}

impl Row for SqliteRow<'_, '_> {
    fn value(&self, column: usize) -> ValueRef<'_> {
        let stored = self.row.get_ref(column).ok();
        let value = stored.and_then(|stored| codec::decode(self.kind(column), stored));
        value.unwrap_or_else(|| {
            self.foreign
                .get_or_init(|| (column, stored.map(|stored| stored.data_type())));
            ValueRef::Null
        })
    }

    fn write_value(&self, column: usize, out: &mut Vec<u8>) {
        let kind = self.table.columns[column].data_type;
        let is_written = self
            .row
            .get_ref(column)
            .is_ok_and(|stored| codec::write_json(out, kind, stored));
        if !is_written {
            json::write_value(out, self.value(column));
        }
    }
}
