//! UPDATE statements.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::draft::Changes;
use model_resource_schema::model::Record;
use model_resource_schema::query::AnyQuery;
use model_resource_schema::value::Value;

use super::quote::push_quoted;
use super::select::{and_unchanged, write_filter};
use super::table_sql::TableSql;
use super::writer::SqlWriter;
use crate::error::Result;

/// UPDATE of the row with this key, if the query selects it and it still has the values of `unchanged`. Returns all
/// columns of the row.
///
/// A derived column is set only if one of the columns that it follows changes its value. The version of the row always
/// grows when it is set. The row is left alone if the new value of an enum may not follow the present one.
pub(crate) fn write_update<'v, W: SqlWriter<'v>>(
    table_sql: &TableSql,
    select: &'v AnyQuery,
    key: &'v Value,
    unchanged: Option<&'v Record>,
    changes: &'v Changes,
) -> Result<W> {
    let table = select.table();
    let mut sql: W = write_filter(write_changes(table, changes)?, select)?;
    sql = sql.push_sql(" AND ").compare(table.key(), " = ", key)?;
    sql = and_unchanged(sql, table, unchanged)?;
    for (position, value) in &changes.values {
        sql = and_allowed(sql, &table.columns[*position], value)?;
    }
    Ok(sql.push_sql(" RETURNING ").push_sql(&table_sql.columns))
}

/// UPDATE of the rows of a table without the condition of the rows.
pub(super) fn write_changes<'v, W: SqlWriter<'v>>(table: &'static Table, changes: &'v Changes) -> Result<W> {
    let mut sql = W::start("UPDATE ").table(table).push_sql(" SET ");
    for (count, (position, value)) in changes.values.iter().enumerate() {
        let column = &table.columns[*position];
        sql = sql.push_sql(if count > 0 { ", " } else { "" });
        sql = sql.name(column.database_name).push_sql(" = ");
        let new_value = |sql: W| match changes.version {
            Some(version) if version == *position => sql.value_or_next(column, value),
            _ => sql.value(column, value),
        };
        let Some(causes) = changes.derived_from(*position) else {
            sql = new_value(sql)?;
            continue;
        };
        sql = sql.push_sql("CASE WHEN FALSE");
        for (cause, new) in causes {
            sql = sql
                .push_sql(" OR ")
                .compare(&table.columns[*cause], W::IS_DISTINCT, new)?;
        }
        sql = new_value(sql.push_sql(" THEN "))?.push_sql(" ELSE ");
        sql = sql.name(column.database_name).push_sql(" END");
    }
    Ok(sql)
}

/// Appends the condition that a value is the present one of its column, or may follow it.
fn and_allowed<'v, W: SqlWriter<'v>>(sql: W, column: &Column, value: &'v Value) -> Result<W> {
    let Value::Text(to) = value else {
        return Ok(sql);
    };
    if column.transitions.is_any() {
        return Ok(sql);
    }
    let mut sql = sql.push_sql(" AND (").compare(column, " = ", value)?;
    for from in column.transitions.before(to) {
        let mut literal = String::new();
        push_quoted(&mut literal, from, '\'');
        sql = sql
            .push_sql(" OR ")
            .name(column.database_name)
            .push_sql(" = ")
            .push_sql(&literal);
    }
    Ok(sql.push_sql(")"))
}
