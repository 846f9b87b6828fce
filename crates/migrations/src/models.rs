//! Schema that the models declare.

use model_resource_schema::column::{Column, ColumnRole, Table};
use model_resource_schema::data_type::DataType;
use model_resource_store::SqlDialect;

use crate::encoding::IntegerEncoding;
use crate::error::{MigrationError, MigrationResult};
use crate::parse::{read_all, resolve_targets};
use crate::state::SchemaState;

impl SchemaState {
    /// Returns the schema that models declare, by the statements that create their tables. Views are left out.
    ///
    /// # Errors
    /// If the default of a column is not a value of its type.
    ///
    /// # Panics
    /// If a constraint or an index has a condition that it cannot have.
    pub fn of_models(dialect: SqlDialect, tables: &[&'static Table]) -> MigrationResult<Self> {
        let mut state = Self::empty(dialect);
        for table in tables {
            read_all(&mut state, &dialect.create_table_sql(table))?;
        }
        resolve_targets(&mut state);
        for table in tables {
            for column in table.columns {
                set_default(&mut state, table, column)?;
                set_encoding(&mut state, table, column);
            }
        }
        Ok(state)
    }
}

/// Sets the value for rows that exist before a column does.
fn set_default(state: &mut SchemaState, table: &Table, column: &Column) -> MigrationResult {
    let first_version = (column.role == ColumnRole::Version).then_some("1");
    let (Some(text), Some(found)) = (column.default.or(first_version), state.tables.get_mut(table.name))
    else {
        return Ok(());
    };
    let literal = state_literal(state.dialect, table, column, text)?;
    let found = found
        .columns
        .iter_mut()
        .find(|own| own.name == column.database_name);
    if let Some(found) = found {
        found.default = Some(literal);
    }
    Ok(())
}

/// Sets the meaning of SQLite's integers. Keys that the database assigns have none but the number.
fn set_encoding(state: &mut SchemaState, table: &Table, column: &Column) {
    let Some(table) = state.tables.get_mut(table.name) else {
        return;
    };
    let is_key = table.assigns(column.database_name);
    let mut columns = table.columns.iter_mut();
    let found = columns.find(|own| own.name == column.database_name && own.data_type == "INTEGER");
    if let Some(found) = found.filter(|_| !is_key) {
        found.encoding = encoding(column.data_type);
    }
}

/// Meaning of a data type's integers in SQLite; `None` for other types.
fn encoding(kind: DataType) -> Option<IntegerEncoding> {
    match kind {
        DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64 => Some(IntegerEncoding::Integer),
        DataType::Decimal { scale, .. } => Some(IntegerEncoding::Decimal(scale)),
        DataType::Date => Some(IntegerEncoding::Date),
        DataType::Time => Some(IntegerEncoding::Time),
        DataType::Timestamp => Some(IntegerEncoding::Timestamp),
        DataType::F32 | DataType::F64 | DataType::Text | DataType::Bytes => None,
        DataType::Uuid | DataType::Json | DataType::Enum(_) => None,
    }
}

/// Returns the literal of a column's value, given in its wire form.
pub(crate) fn state_literal(
    dialect: SqlDialect,
    table: &Table,
    column: &Column,
    text: &str,
) -> MigrationResult<String> {
    dialect.literal_sql(column, text).map_err(|reason| {
        MigrationError::new(format!(
            "the default {text:?} of `{}` of model {} is not a value of its type: {reason}",
            column.name, table.model
        ))
    })
}
