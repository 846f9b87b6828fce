//! Statements that read single rows, counts and related rows.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::query::AnyQuery;
use model_resource_schema::relation::Relation;
use model_resource_schema::value::Value;

use super::condition::write_related;
use super::filter::{and_row, write_filter};
use super::table_sql::TableSql;
use super::writer::SqlWriter;
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
            let sql = W::start("SELECT 1 FROM ").name(table.name);
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
    let sql = W::start("SELECT 1 FROM ").name(table.name).push_sql(" WHERE ");
    Ok(sql.compare(column, " = ", value)?.push_sql(" LIMIT 1"))
}

/// SELECT of the number of selected rows.
pub(crate) fn select_count<'v, W: SqlWriter<'v>>(select: &'v AnyQuery) -> Result<W> {
    write_filter(
        W::start("SELECT count(*) FROM ").name(select.table().name),
        select,
    )
}

/// SELECT of the rows that a relation leads to from these values, in the order of their primary keys.
pub(crate) fn select_related<'v, W: SqlWriter<'v>>(
    table_sql: &TableSql,
    relation: &'v Relation,
    values: &'v [Value],
    limit: u64,
) -> Result<W> {
    let (table, column) = (relation.table, &relation.table.columns[relation.to]);
    let sql = W::start(&table_sql.select)
        .push_sql(" WHERE ")
        .name(column.database_name);
    let sql = write_related(sql.in_list(column, values)?, relation)?;
    Ok(sql
        .push_sql(" ORDER BY ")
        .name(table.key().database_name)
        .push_sql(" LIMIT ")
        .count(limit))
}
