//! DELETE statements.

use model_resource_schema::model::Record;
use model_resource_schema::query::AnyQuery;

use super::select::{and_row, and_unchanged, write_filter};
use super::table_sql::TableSql;
use super::writer::SqlWriter;
use crate::error::Result;
use crate::row_key::RowKey;

/// DELETE of the row with this key, if the query selects it.
pub(crate) fn delete_row<'v, W: SqlWriter<'v>>(
    table_sql: &'v TableSql,
    select: &'v AnyQuery,
    key: &'v RowKey,
) -> Result<W> {
    let table = select.table();
    match key {
        RowKey::Primary(key) if select.is_all() => {
            W::ready(&table_sql.delete_key).bind_search(table.key(), key)
        }
        RowKey::Primary(_) | RowKey::Unique(..) => and_row(delete_rows(select)?, table, key),
    }
}

/// DELETE of the row with this key, if the query selects it and it still has the values of `unchanged`. Returns all
/// columns of the row.
pub(crate) fn delete_returning<'v, W: SqlWriter<'v>>(
    table_sql: &TableSql,
    select: &'v AnyQuery,
    key: &'v RowKey,
    unchanged: Option<&'v Record>,
) -> Result<W> {
    let sql: W = and_row(delete_rows(select)?, select.table(), key)?;
    let sql = and_unchanged(sql, select.table(), unchanged)?;
    Ok(sql.push_sql(" RETURNING ").push_sql(&table_sql.columns))
}

/// DELETE of all selected rows.
pub(crate) fn delete_rows<'v, W: SqlWriter<'v>>(select: &'v AnyQuery) -> Result<W> {
    write_filter(W::start("DELETE FROM ").name(select.table().name), select)
}
