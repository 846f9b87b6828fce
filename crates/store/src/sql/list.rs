//! Lists as SQL.

use model_resource_schema::query::{Nulls, SortKey};

use super::order::{write_after, write_extra_columns, write_order, write_order_of_selected};
use super::writer::SqlWriter;
use crate::error::Result;
use crate::list::{List, Position, Start};

/// Writes the statement that gives so many rows of a list at the most: the columns of the table, and behind them the values
/// of the keys that are none of them.
pub(crate) fn write_list<'v, W: SqlWriter<'v>>(
    sql: W,
    columns: &str,
    list: &'v List,
    most: Option<u64>,
) -> Result<W> {
    let keys = list.keys();
    match list.start() {
        Start::Skipping(rows) => {
            let sql = limited(
                selected(sql, columns, list, keys, None)?,
                most.or((*rows > 0).then_some(u64::MAX)),
            );
            Ok(match rows {
                0 => sql,
                rows => sql.words(" OFFSET ").count(*rows),
            })
        }
        Start::After(last) => Ok(limited(selected(sql, columns, list, keys, Some(last))?, most)),
        Start::Before(first) => {
            let backwards: Vec<SortKey> = keys.iter().map(reversed).collect();
            let sql = sql.words("SELECT * FROM (");
            let sql = limited(selected(sql, columns, list, &backwards, first.as_ref())?, most);
            Ok(write_order_of_selected(sql.words(") AS selected"), keys))
        }
    }
}

/// The selected rows in the order of these keys, those after the position.
fn selected<'v, W: SqlWriter<'v>>(
    sql: W,
    columns: &str,
    list: &'v List,
    keys: &[SortKey],
    after: Option<&'v Position>,
) -> Result<W> {
    let table = list.table();
    let sql = write_extra_columns(sql.words("SELECT ").words(columns), table, keys);
    let mut sql = sql.words(" FROM ").name(table.name).filter(list.select())?;
    if let Some(Position(values)) = after {
        sql = write_after(sql.words(" AND "), table, keys, values, list.is_segment())?;
    }
    Ok(write_order(sql, table, keys))
}

fn limited<'v, W: SqlWriter<'v>>(sql: W, most: Option<u64>) -> W {
    match most {
        Some(rows) => sql.words(" LIMIT ").count(rows),
        None => sql,
    }
}

fn reversed(key: &SortKey) -> SortKey {
    SortKey {
        path: key.path.clone(),
        descending: !key.descending,
        nulls: match key.nulls {
            Nulls::First => Nulls::Last,
            Nulls::Last => Nulls::First,
        },
    }
}
