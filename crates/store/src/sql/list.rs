//! Lists as SQL.

use super::order::{write_extra_columns, write_order, write_range};
use super::writer::SqlWriter;
use crate::error::Result;
use crate::segment::{Rows, Segment};

/// Writes the statement that gives so many rows of a segment at the most: the columns of the table, and behind them the
/// values of the keys that are none of them.
pub(crate) fn write_list<'v, W: SqlWriter<'v>>(
    sql: W,
    columns: &str,
    segment: &'v Segment<'v>,
    most: Option<u64>,
) -> Result<W> {
    let (list, keys) = (segment.list, &segment.keys);
    let table = list.table();
    let sql = write_extra_columns(sql.words("SELECT ").words(columns), table, keys)?;
    let mut sql = sql.words(" FROM ").name(table.name).filter(list.select())?;
    let mut skipped = 0;
    match segment.rows {
        Rows::Skipping(rows) => skipped = rows,
        Rows::After(values, range) => sql = write_range(sql.words(" AND "), table, keys, values, range)?,
    }
    sql = write_order(sql, table, keys)?;
    if let Some(rows) = most.or((skipped > 0).then_some(u64::MAX)) {
        sql = sql.words(" LIMIT ").count(rows);
    }
    Ok(match skipped {
        0 => sql,
        rows => sql.words(" OFFSET ").count(rows),
    })
}
