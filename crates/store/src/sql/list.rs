//! List queries as SQL.

use super::filter::write_filter;
use super::keyset::{KeyRange, RangeRows};
use super::order::{write_extra_columns, write_order, write_range};
use super::writer::SqlWriter;
use crate::error::Result;

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
    let mut sql = write_filter(sql.push_sql(" FROM ").name(table.name), list.select())?;
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
