//! Lists as SQL.

use super::order::{write_extra_columns, write_order, write_range};
use super::writer::SqlWriter;
use crate::error::Result;
use crate::keyset::{KeyRange, RangeRows};

/// Writes the statement that gives so many rows of a segment at the most: the columns of the table, and behind them the
/// values of the keys that are none of them.
pub(crate) fn write_list<'v, W: SqlWriter<'v>>(
    sql: W,
    columns: &str,
    segment: &'v KeyRange<'v>,
    most: Option<u64>,
) -> Result<W> {
    let (list, keys) = (segment.list, &segment.keys);
    let table = list.table();
    let sql = write_extra_columns(sql.push_sql("SELECT ").push_sql(columns), table, keys)?;
    let mut sql = sql.push_sql(" FROM ").name(table.name).filter(list.select())?;
    let mut skipped = 0;
    match segment.rows {
        RangeRows::Offset(rows) => skipped = rows,
        RangeRows::After(values, range) => {
            sql = write_range(sql.push_sql(" AND "), table, keys, values, range)?
        }
    }
    sql = write_order(sql, table, keys)?;
    if let Some(rows) = most.or((skipped > 0).then_some(u64::MAX)) {
        sql = sql.push_sql(" LIMIT ").count(rows);
    }
    Ok(match skipped {
        0 => sql,
        rows => sql.push_sql(" OFFSET ").count(rows),
    })
}
