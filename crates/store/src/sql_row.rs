//! Rows of handwritten SQL.

use model_resource_schema::column_type::ColumnType;
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::{Field, Model};
use model_resource_schema::value::ValueRef;

use crate::error::{Error, Result};
#[cfg(feature = "postgres")]
use crate::postgres::raw::PostgresRawRow;
use crate::raw_sql::RawRow;
#[cfg(feature = "sqlite")]
use crate::sqlite::raw::SqliteRawRow;

/// A row of a handwritten statement ([`Sql`](crate::Sql)). Values are read by the names of their columns.
pub struct SqlRow(DriverRow);

enum DriverRow {
    #[cfg(feature = "sqlite")]
    Sqlite(SqliteRawRow),
    #[cfg(feature = "postgres")]
    Postgres(PostgresRawRow),
}

/// Calls a method of the row in use.
macro_rules! each {
    ($self:ident, $row:ident => $does:expr) => {
        match &$self.0 {
            #[cfg(feature = "sqlite")]
            DriverRow::Sqlite($row) => $does,
            #[cfg(feature = "postgres")]
            DriverRow::Postgres($row) => $does,
        }
    };
}

impl SqlRow {
    /// Returns the value of a column; the first one, if several have this name.
    ///
    /// A decimal is read with [`SqlRow::field`], since its column determines how it is stored.
    ///
    /// # Errors
    /// If no column has this name, the value has another type, or it is null and `T` is not an `Option`.
    pub fn get<T: ColumnType>(&self, column: &str) -> Result<T> {
        if let DataType::Decimal { .. } = T::DATA_TYPE {
            return Err(Error::Failed(format!(
                "column `{column}` of raw SQL: a decimal has the scale of its column: read it with `field`"
            )));
        }
        self.read(column, T::DATA_TYPE)
    }

    /// Returns the value of a model's column, which the statement returns by its name in the database.
    ///
    /// # Errors
    /// As for [`SqlRow::get`].
    pub fn field<M: Model, T: ColumnType>(&self, field: Field<M, T>) -> Result<T> {
        self.field_as(field, field.column().database_name)
    }

    /// Returns a value of the same type as a model's column, such as `max(price) AS highest`.
    ///
    /// # Errors
    /// As for [`SqlRow::get`].
    pub fn field_as<M: Model, T: ColumnType>(&self, field: Field<M, T>, column: &str) -> Result<T> {
        self.read(column, field.column().data_type)
    }

    /// Names of the columns, in the order of the statement.
    pub fn columns(&self) -> Vec<&str> {
        each!(self, row => row.names().collect())
    }

    fn read<T: ColumnType>(&self, column: &str, kind: DataType) -> Result<T> {
        let position = each!(self, row => row.names().position(|name| name == column));
        let Some(position) = position else {
            let names = self.columns().join("`, `");
            return Err(Error::Failed(format!(
                "raw SQL returned no column `{column}`: it returned `{names}`"
            )));
        };
        match each!(self, row => row.decode(position, kind)) {
            Some(ValueRef::Null) if !T::NULLABLE => Err(Error::Failed(format!(
                "column `{column}` of raw SQL is null: read it as an Option"
            ))),
            Some(value) => T::from_value(value)
                .map_err(|mismatch| Error::Failed(format!("column `{column}` of raw SQL: {mismatch}"))),
            None => {
                let found = each!(self, row => row.type_name(position));
                Err(Error::Failed(format!(
                    "column `{column}` of raw SQL holds a value of {found}, expected {kind:?}"
                )))
            }
        }
    }
}

/// Leaves the values out: they may be secrets, and this is logged.
impl std::fmt::Debug for SqlRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqlRow")
            .field("columns", &self.columns())
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "sqlite")]
impl From<SqliteRawRow> for SqlRow {
    fn from(row: SqliteRawRow) -> Self {
        Self(DriverRow::Sqlite(row))
    }
}

#[cfg(feature = "postgres")]
impl From<PostgresRawRow> for SqlRow {
    fn from(row: PostgresRawRow) -> Self {
        Self(DriverRow::Postgres(row))
    }
}
