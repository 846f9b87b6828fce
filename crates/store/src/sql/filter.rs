//! WHERE clauses.

use model_resource_schema::column::Table;
use model_resource_schema::query::AnyQuery;
use model_resource_schema::value::Value;

use super::condition::write_condition;
use super::writer::SqlWriter;
use crate::error::Result;
use crate::row_key::RowKey;

/// Appends the WHERE clause of a query, to which conditions can be added.
pub(crate) fn write_filter<'v, W: SqlWriter<'v>>(sql: W, select: &'v AnyQuery) -> Result<W> {
    let (table, condition) = (select.table(), select.condition());
    let mut sql = sql.push_sql(" WHERE TRUE");
    for (column, value) in select.conditions() {
        let column = &table.columns[*column];
        sql = sql.push_sql(" AND ");
        sql = if let Value::Null = value {
            sql.name(column.database_name).push_sql(" IS NULL")
        } else {
            sql.compare(column, " = ", value)?
        };
    }
    if condition.is_all() {
        return Ok(sql);
    }
    write_condition(sql.push_sql(" AND "), table, condition)
}

/// Appends the condition that a row has this key.
pub(super) fn and_row<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, key: &'v RowKey) -> Result<W> {
    sql.push_sql(" AND ")
        .compare(key.column(table), " = ", key.value())
}
