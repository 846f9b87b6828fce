//! DELETE statements, and the UPDATE statements in their place.

use model_resource_schema::model::Record;

use super::select::{and_row, and_unchanged, write_filter};
use super::table_sql::TableSql;
use super::update::write_changes;
use super::writer::SqlWriter;
use crate::delete_query::DeleteQuery;
use crate::error::Result;
use crate::row_key::RowKey;

/// DELETE of the row with this key, if the query selects it.
pub(crate) fn delete_row<'v, W: SqlWriter<'v>>(
    table_sql: &'v TableSql,
    rows: &'v DeleteQuery,
    key: &'v RowKey,
) -> Result<W> {
    let table = rows.select.table();
    match key {
        RowKey::Primary(key) if rows.select.is_all() && rows.mark.is_none() => {
            W::ready(&table_sql.delete_key).bind_search(table.key(), key)
        }
        RowKey::Primary(_) | RowKey::Unique(..) => and_row(delete_rows(rows)?, table, key),
    }
}

/// DELETE of the row with this key, if the query selects it and it still has the values of `unchanged`. Returns all
/// columns of the row.
pub(crate) fn delete_returning<'v, W: SqlWriter<'v>>(
    table_sql: &TableSql,
    rows: &'v DeleteQuery,
    key: &'v RowKey,
    unchanged: Option<&'v Record>,
) -> Result<W> {
    let table = rows.select.table();
    let sql: W = and_row(delete_rows(rows)?, table, key)?;
    let sql = and_unchanged(sql, table, unchanged)?;
    Ok(sql.push_sql(" RETURNING ").push_sql(&table_sql.columns))
}

/// DELETE of all selected rows, or the UPDATE that soft-deletes them.
pub(crate) fn delete_rows<'v, W: SqlWriter<'v>>(rows: &'v DeleteQuery) -> Result<W> {
    let table = rows.select.table();
    let sql = match &rows.mark {
        Some(changes) => write_changes(table, changes)?,
        None => W::start("DELETE FROM ").table(table),
    };
    write_filter(sql, &rows.select)
}
