//! Orders as SQL, and places in an order.

use model_resource_schema::column::Table;
use model_resource_schema::kind::Kind;
use model_resource_schema::query::{Hop, Nulls, Path, SortKey};
use model_resource_schema::value::Value;

use super::condition::write_visible;
use super::place::Place;
use super::writer::SqlWriter;
use crate::error::{Error, Result};
use crate::segment::{Next, Range};

/// Writes the values of the keys that are no columns of the table itself, each after a comma.
pub(super) fn write_extra_columns<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &'v [SortKey],
) -> Result<W> {
    let mut extra = keys.iter().filter(|key| !key.path.is_own_column());
    extra.try_fold(sql, |sql, key| value(sql.words(", "), table, &key.path))
}

/// Writes the order of a table's rows.
pub(super) fn write_order<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &'v [SortKey],
) -> Result<W> {
    keys.iter().enumerate().try_fold(sql, |sql, (count, key)| {
        let sql = sql.words(if count > 0 { ", " } else { " ORDER BY " });
        let sql = compared(sql, table, &key.path)?.words(if key.descending { " DESC" } else { "" });
        Ok(match (key.path.is_nullable(), key.nulls) {
            (false, _) => sql,
            (true, Nulls::First) => sql.words(" NULLS FIRST"),
            (true, Nulls::Last) => sql.words(" NULLS LAST"),
        })
    })
}

/// Writes what the keys have to be, compared with these values of a row.
pub(super) fn write_range<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &'v [SortKey],
    values: &'v [Value],
    range: Range,
) -> Result<W> {
    let Range { same, next } = range;
    let mut pairs = keys.iter().zip(values).take(same);
    let sql = pairs.try_fold(sql, |sql, (key, value)| {
        Ok::<_, Error>(equal(sql, table, &key.path, value)?.words(" AND "))
    })?;
    match next {
        Next::Later(until) => later(sql, table, &keys[same..until], &values[same..until]),
        Next::Something => Ok(value(sql, table, &keys[same].path)?.words(" IS NOT NULL")),
        Next::Nothing => Ok(value(sql, table, &keys[same].path)?.words(" IS NULL")),
    }
}

/// As one comparison, for which an index can be used.
fn later<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &'v [SortKey],
    values: &'v [Value],
) -> Result<W> {
    let mut sql = sql.words("(");
    for (count, key) in keys.iter().enumerate() {
        sql = compared(sql.words(if count > 0 { ", " } else { "" }), table, &key.path)?;
    }
    sql = sql.words(if keys[0].descending { ") < (" } else { ") > (" });
    for (count, (key, value)) in keys.iter().zip(values).enumerate() {
        sql = sql.words(if count > 0 { ", " } else { "" });
        sql = sql.sought(key.path.column(), value)?;
    }
    Ok(sql.words(")"))
}

fn equal<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, path: &'v Path, other: &'v Value) -> Result<W> {
    if other.is_null() {
        return Ok(value(sql, table, path)?.words(" IS NULL"));
    }
    compared(sql, table, path)?
        .words(" = ")
        .sought(path.column(), other)
}

/// The value of a key, as it is compared.
fn compared<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, path: &'v Path) -> Result<W> {
    let sql = value(sql, table, path)?;
    Ok(match path.column().kind {
        Kind::Enum(_) => sql.words(W::AS_TEXT).words(W::BY_CHARACTERS),
        Kind::Text => sql.words(W::BY_CHARACTERS),
        _ => sql,
    })
}

/// The value of a key.
fn value<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, path: &'v Path) -> Result<W> {
    value_behind(sql, table, Place::Selected(table.name), path.hops(), path)
}

/// The value in the row that the rest of the path leads to.
fn value_behind<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    place: Place,
    hops: &'v [Hop],
    path: &'v Path,
) -> Result<W> {
    let Some((hop, rest)) = hops.split_first() else {
        return Ok(place.column(sql, path.column().database_name));
    };
    let inner = place.deeper();
    let sql = value_behind(sql.words("(SELECT "), hop.table, inner, rest, path)?;
    let sql = inner.write(sql.words(" FROM ").name(hop.table.name).words(" AS "));
    let sql = inner.column(sql.words(" WHERE "), hop.table.columns[hop.to].database_name);
    let sql = place.column(sql.words(" = "), table.columns[hop.from].database_name);
    Ok(write_visible(sql, hop, inner)?.words(")"))
}
