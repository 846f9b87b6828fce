//! A row while the database lends it.

use std::cell::OnceCell;

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::json;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::value::ValueRef;
use rusqlite::types::Type;

use super::codec;
use crate::error::{Error, Result};
use crate::sink::MapRow;

/// A row whose columns are those of a table, in the table's order.
///
/// [`Row::value`] cannot fail, and checking every column before would cost as much as reading it. So a value of a foreign
/// storage class reads as null and is remembered, and whoever reads rows asks [`StoredRow::check`] after each.
pub(super) struct SqliteRow<'r, 's> {
    row: &'r rusqlite::Row<'s>,
    table: &'static Table,
    /// The types of what stands behind the table's columns.
    extra: &'r [DataType],
    foreign: OnceCell<(usize, Option<Type>)>,
}

impl<'r, 's> SqliteRow<'r, 's> {
    pub(super) fn new(row: &'r rusqlite::Row<'s>, table: &'static Table) -> Self {
        Self::with_extra(row, table, &[])
    }

    /// A row with more values behind those of the table.
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

    /// Fails if a value that was read is not what the model says.
    pub(super) fn check(&self) -> Result<()> {
        let Some((column, found)) = self.foreign.get() else {
            return Ok(());
        };
        let name = self
            .table
            .columns
            .get(*column)
            .map_or("..", |column| column.database_name);
        let found = found.map_or("nothing".to_owned(), |found| format!("a value of {found}"));
        let (table, expected) = (self.table.name, self.kind(*column));
        Err(Error::Failed(format!(
            "`{table}.{name}` holds {found} that is no {expected:?}"
        )))
    }

    #[inline]
    fn kind(&self, column: usize) -> DataType {
        match self.table.columns.get(column) {
            Some(column) => column.kind,
            None => self.extra[column - self.table.columns.len()],
        }
    }

    /// What is made of the row.
    pub(super) fn keep<T>(&self, keep: &impl MapRow<T>) -> Result<T> {
        let kept = keep(self);
        self.check().map(|()| kept)
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
        let kind = self.table.columns[column].kind;
        let is_written = self
            .row
            .get_ref(column)
            .is_ok_and(|stored| codec::write_json(out, kind, stored));
        if !is_written {
            json::write_value(out, self.value(column));
        }
    }
}
