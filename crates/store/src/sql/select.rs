//! SELECT statements: single rows, counts, related rows and lists, with their WHERE clauses.

use super::condition::write_condition;
use super::keyset::{KeyRange, RangeRows};
use super::order::{write_extra_columns, write_order, write_range};
use super::table_sql::TableSql;
use super::writer::SqlWriter;
use model_resource_schema::column::{Column, Table};
use model_resource_schema::model::Record;
use model_resource_schema::query::AnyQuery;
use model_resource_schema::value::Value;

use crate::error::Result;
use crate::row_key::RowKey;

/// SELECT of the row with this key, if the query selects it.
pub(crate) fn select_row<'v, W: SqlWriter<'v>>(
    table_sql: &'v TableSql,
    select: &'v AnyQuery,
    key: &'v RowKey,
) -> Result<W> {
    let table = select.table();
    match key {
        RowKey::Primary(key) if select.is_all() => {
            W::ready(&table_sql.select_by_key).bind_search(table.key(), key)
        }
        RowKey::Primary(_) | RowKey::Unique(..) => {
            and_row(write_filter(W::start(&table_sql.select), select)?, table, key)
        }
    }
}

/// Whether the row with this key is read without the conditions of the query, which its values then decide. The
/// statement is the same whatever the query compares with.
pub(crate) fn is_found_unfiltered(select: &AnyQuery, key: &RowKey) -> bool {
    matches!(key, RowKey::Primary(_)) && !select.is_all() && select.is_decided_by_row()
}

/// SELECT that returns a row if the query selects the row with this key.
pub(crate) fn select_exists<'v, W: SqlWriter<'v>>(
    table_sql: &'v TableSql,
    select: &'v AnyQuery,
    key: &'v RowKey,
) -> Result<W> {
    let table = select.table();
    match key {
        RowKey::Primary(key) if select.is_all() => {
            W::ready(&table_sql.exists_key).bind_search(table.key(), key)
        }
        RowKey::Primary(_) | RowKey::Unique(..) => {
            let sql = W::start("SELECT 1 FROM ").table(table);
            and_row(write_filter(sql, select)?, table, key)
        }
    }
}

/// SELECT that returns a row if a table has a row with this value.
pub(crate) fn select_value<'v, W: SqlWriter<'v>>(
    table: &'static Table,
    column: &'static Column,
    value: &'v Value,
) -> Result<W> {
    let sql = W::start("SELECT 1 FROM ").table(table).push_sql(" WHERE ");
    Ok(sql.compare(column, " = ", value)?.push_sql(" LIMIT 1"))
}

/// SELECT of the number of selected rows.
pub(crate) fn select_count<'v, W: SqlWriter<'v>>(select: &'v AnyQuery) -> Result<W> {
    let sql = W::start("SELECT count(*) FROM ").table(select.table());
    write_filter(sql.extract_members(select.table(), select.condition()), select)
}

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

/// Appends to a condition that a row still has the values of `unchanged`.
pub(super) fn and_unchanged<'v, W: SqlWriter<'v>>(
    mut sql: W,
    table: &'static Table,
    unchanged: Option<&'v Record>,
) -> Result<W> {
    for (column, value) in std::iter::zip(table.columns, unchanged.map_or(&[][..], Record::values)) {
        sql = sql.push_sql(" AND ").compare(column, W::IS_NOT_DISTINCT, value)?;
    }
    Ok(sql)
}

/// Appends the condition that a row has this key.
pub(super) fn and_row<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, key: &'v RowKey) -> Result<W> {
    sql.push_sql(" AND ")
        .compare(key.column(table), " = ", key.value())
}

/// Appends the SELECT of a key range with a limit. Its columns are those of the table, followed by the values of sort
/// keys that are not columns.
pub(crate) fn write_list<'v, W: SqlWriter<'v>>(
    sql: W,
    columns: &str,
    range: &'v KeyRange<'v>,
    limit: Option<u64>,
) -> Result<W> {
    let (list, keys) = (range.list, &range.keys);
    let table = list.table();
    let sql = write_extra_columns(sql.push_sql("SELECT ").push_sql(columns), table, keys)?;
    let sql = sql
        .push_sql(" FROM ")
        .table(table)
        .extract_members(table, list.select().condition());
    let mut sql = write_filter(sql, list.select())?;
    let mut skipped = 0;
    match range.rows {
        RangeRows::Offset(rows) => skipped = rows,
        RangeRows::After(values, range) => {
            sql = write_range(sql.push_sql(" AND "), table, keys, values, range)?;
        }
    }
    sql = write_order(sql, table, keys)?;
    if let Some(rows) = limit.or((skipped > 0).then_some(u64::MAX)) {
        sql = sql.push_sql(" LIMIT ").count(rows);
    }
    Ok(match skipped {
        0 => sql,
        rows => sql.push_sql(" OFFSET ").count(rows),
    })
}
