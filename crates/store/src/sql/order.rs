//! Orders as SQL, and what comes after a row in an order.

use model_resource_schema::column::Table;
use model_resource_schema::kind::Kind;
use model_resource_schema::query::{Hop, Nulls, Path, SortKey};
use model_resource_schema::value::Value;

use super::place::Place;
use super::writer::SqlWriter;
use crate::error::Result;

/// Writes the values of the keys that are no columns of the table itself, each after a comma and under a name of its own.
pub(super) fn write_extra_columns<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &[SortKey],
) -> W {
    let extra = keys.iter().filter(|key| !key.path.is_own_column());
    extra.enumerate().fold(sql, |sql, (count, key)| {
        let sql = value(sql.words(", "), table, &key.path).words(" AS ");
        sql.name(&extra_name(count))
    })
}

fn extra_name(count: usize) -> String {
    format!("sorted_by_{count}")
}

/// Writes the order of a table's rows.
pub(super) fn write_order<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, keys: &[SortKey]) -> W {
    ordered(sql, keys, |sql, key| value(sql, table, &key.path))
}

/// Writes the order of rows that were selected with the extra columns.
pub(super) fn write_order_of_selected<'v, W: SqlWriter<'v>>(sql: W, keys: &[SortKey]) -> W {
    let mut extra = 0;
    ordered(sql, keys, |sql, key| {
        if key.path.is_own_column() {
            return sql.name(key.path.column().name);
        }
        extra += 1;
        sql.name(&extra_name(extra - 1))
    })
}

fn ordered<'v, W: SqlWriter<'v>>(sql: W, keys: &[SortKey], mut value: impl FnMut(W, &SortKey) -> W) -> W {
    keys.iter().enumerate().fold(sql, |sql, (count, key)| {
        let sql = value(sql.words(if count > 0 { ", " } else { " ORDER BY " }), key);
        let sql = by_characters(sql, &key.path).words(if key.descending { " DESC" } else { "" });
        match (key.path.is_nullable(), key.nulls) {
            (false, _) => sql,
            (true, Nulls::First) => sql.words(" NULLS FIRST"),
            (true, Nulls::Last) => sql.words(" NULLS LAST"),
        }
    })
}

/// Writes the condition that a row comes after the one with these values of the keys; in a segment, of those rows alone that
/// have a value of the first key, or have none, as that one.
pub(super) fn write_after<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &[SortKey],
    values: &'v [Value],
    is_segment: bool,
) -> Result<W> {
    let (Some(first), Some(first_value)) = (keys.first(), values.first()) else {
        return Ok(sql.words("FALSE"));
    };
    if is_segment && first_value.is_null() {
        let sql = value(sql, table, &first.path).words(" IS NULL AND ");
        return write_after(sql, table, &keys[1..], &values[1..], false);
    }
    let has_value = |position: usize, key: &SortKey| !key.path.is_nullable() || (is_segment && position == 0);
    let mut keys_and_positions = keys.iter().enumerate();
    if keys_and_positions
        .all(|(position, key)| key.descending == first.descending && has_value(position, key))
    {
        return after_all_at_once(sql, table, keys, values, first.descending);
    }
    let mut sql = sql;
    if has_value(0, first) {
        // It says nothing new, but an index can be used for it.
        let operator = if first.descending { " <= " } else { " >= " };
        sql = compared(sql, table, &first.path).words(operator);
        sql = sql.sought(first.path.column(), first_value)?.words(" AND ");
    }
    sql = sql.words("(FALSE");
    for (position, (key, value)) in keys.iter().zip(values).enumerate() {
        if value.is_null() && key.nulls == Nulls::Last {
            continue;
        }
        sql = sql.words(" OR (");
        for (key, value) in keys.iter().zip(values).take(position) {
            sql = same(sql, table, &key.path, value)?.words(" AND ");
        }
        sql = after_one(sql, table, key, value, has_value(position, key))?.words(")");
    }
    Ok(sql.words(")"))
}

/// As one comparison, for which an index can be used.
fn after_all_at_once<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &[SortKey],
    values: &'v [Value],
    descending: bool,
) -> Result<W> {
    let mut sql = sql.words("(");
    for (count, key) in keys.iter().enumerate() {
        sql = compared(sql.words(if count > 0 { ", " } else { "" }), table, &key.path);
    }
    sql = sql.words(if descending { ") < (" } else { ") > (" });
    for (count, (key, value)) in keys.iter().zip(values).enumerate() {
        sql = sql.words(if count > 0 { ", " } else { "" });
        sql = sql.sought(key.path.column(), value)?;
    }
    Ok(sql.words(")"))
}

fn after_one<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    key: &SortKey,
    than: &'v Value,
    has_value: bool,
) -> Result<W> {
    if than.is_null() {
        return Ok(value(sql, table, &key.path).words(" IS NOT NULL"));
    }
    let operator = if key.descending { " < " } else { " > " };
    let sql = compared(sql.words("("), table, &key.path).words(operator);
    let sql = sql.sought(key.path.column(), than)?;
    let sql = match (has_value, key.nulls) {
        (false, Nulls::Last) => value(sql.words(" OR "), table, &key.path).words(" IS NULL"),
        _ => sql,
    };
    Ok(sql.words(")"))
}

fn same<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, path: &Path, other: &'v Value) -> Result<W> {
    if other.is_null() {
        return Ok(value(sql, table, path).words(" IS NULL"));
    }
    compared(sql, table, path)
        .words(" = ")
        .sought(path.column(), other)
}

/// The value of a key, as it is compared.
fn compared<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, path: &Path) -> W {
    by_characters(value(sql, table, path), path)
}

/// What stands behind the value of a key that is a text.
fn by_characters<'v, W: SqlWriter<'v>>(sql: W, path: &Path) -> W {
    match path.column().kind {
        Kind::Text | Kind::Enum(_) => sql.words(W::BY_CHARACTERS),
        _ => sql,
    }
}

/// The value of a key.
fn value<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, path: &Path) -> W {
    value_behind(sql, table, Place::Selected(table.name), path.hops(), path)
}

/// The value in the row that the rest of the path leads to.
fn value_behind<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    place: Place,
    hops: &[Hop],
    path: &Path,
) -> W {
    let Some((hop, rest)) = hops.split_first() else {
        return place.column(sql, path.column().name);
    };
    let inner = place.deeper();
    let sql = value_behind(sql.words("(SELECT "), hop.table, inner, rest, path);
    let sql = inner.write(sql.words(" FROM ").name(hop.table.name).words(" AS "));
    let sql = inner.column(sql.words(" WHERE "), hop.table.columns[hop.to].name);
    place
        .column(sql.words(" = "), table.columns[hop.from].name)
        .words(")")
}
