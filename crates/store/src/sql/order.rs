//! ORDER BY and keyset conditions as SQL.

use model_resource_schema::column::Table;
use model_resource_schema::query::{FieldPath, Nulls, RelationStep, SortKey};
use model_resource_schema::value::Value;

use super::condition::{write_count, write_visible};
use super::keyset::{Bound, RangeBounds};
use super::writer::TableAlias;
use super::writer::{SqlWriter, comparable};
use crate::error::{Error, Result};

/// Appends the values of the sort keys that are not columns of the table, each after a comma.
pub(super) fn write_extra_columns<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &'v [SortKey],
) -> Result<W> {
    let mut extra = keys.iter().filter(|key| !key.path.is_own_column());
    extra.try_fold(sql, |sql, key| value(sql.push_sql(", "), table, &key.path))
}

/// Appends ORDER BY.
pub(super) fn write_order<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &'v [SortKey],
) -> Result<W> {
    keys.iter().enumerate().try_fold(sql, |sql, (count, key)| {
        let sql = sql.push_sql(if count > 0 { ", " } else { " ORDER BY " });
        let sql = compared(sql, table, &key.path)?.push_sql(if key.descending { " DESC" } else { "" });
        Ok(match (key.path.is_nullable(), key.nulls) {
            (false, _) => sql,
            (true, Nulls::First) => sql.push_sql(" NULLS FIRST"),
            (true, Nulls::Last) => sql.push_sql(" NULLS LAST"),
        })
    })
}

/// Appends the bounds of a key range, relative to the values of a row.
pub(super) fn write_range<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &'v [SortKey],
    values: &'v [Value],
    range: RangeBounds,
) -> Result<W> {
    let RangeBounds { same, next } = range;
    let mut pairs = keys.iter().zip(values).take(same);
    let sql = pairs.try_fold(sql, |sql, (key, value)| {
        Ok::<_, Error>(equal(sql, table, &key.path, value)?.push_sql(" AND "))
    })?;
    match next {
        Bound::RowGreater(until) => row_greater(sql, table, &keys[same..until], &values[same..until]),
        Bound::NotNull => Ok(value(sql, table, &keys[same].path)?.push_sql(" IS NOT NULL")),
        Bound::Null => Ok(value(sql, table, &keys[same].path)?.push_sql(" IS NULL")),
    }
}

/// Appends one row comparison, which can use an index.
fn row_greater<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    keys: &'v [SortKey],
    values: &'v [Value],
) -> Result<W> {
    let mut sql = sql.push_sql("(");
    for (count, key) in keys.iter().enumerate() {
        sql = compared(sql.push_sql(if count > 0 { ", " } else { "" }), table, &key.path)?;
    }
    sql = sql.push_sql(if keys[0].descending { ") < (" } else { ") > (" });
    for (count, (key, value)) in keys.iter().zip(values).enumerate() {
        sql = sql.push_sql(if count > 0 { ", " } else { "" });
        sql = sql.bind_for_search(key.path.column(), value)?;
    }
    Ok(sql.push_sql(")"))
}

fn equal<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    path: &'v FieldPath,
    other: &'v Value,
) -> Result<W> {
    if other.is_null() {
        return Ok(value(sql, table, path)?.push_sql(" IS NULL"));
    }
    compared(sql, table, path)?
        .push_sql(" = ")
        .bind_for_search(path.column(), other)
}

/// Appends the value of a sort key in its comparable form.
fn compared<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, path: &'v FieldPath) -> Result<W> {
    let (as_text, collation) = comparable::<W>(path.column().data_type);
    Ok(value(sql, table, path)?.push_sql(as_text).push_sql(collation))
}

/// Appends the value of a sort key.
fn value<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, path: &'v FieldPath) -> Result<W> {
    if path.is_count() {
        return write_count(sql, table, path);
    }
    value_behind(sql, table, TableAlias::Root(table), path.steps(), path)
}

/// Appends the value in the row that the rest of the path leads to.
fn value_behind<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    place: TableAlias,
    hops: &'v [RelationStep],
    path: &'v FieldPath,
) -> Result<W> {
    let Some((hop, rest)) = hops.split_first() else {
        return Ok(place.column(sql, path.column().database_name));
    };
    let inner = place.nested();
    let sql = value_behind(sql.push_sql("(SELECT "), hop.table, inner, rest, path)?;
    let sql = inner.write(sql.push_sql(" FROM ").table(hop.table).push_sql(" AS "));
    let sql = inner.column(sql.push_sql(" WHERE "), hop.table.columns[hop.to].database_name);
    let sql = place.column(sql.push_sql(" = "), table.columns[hop.from].database_name);
    let sql = write_visible(sql, hop, inner)?;
    // A database without the unique index that the model declares could find several.
    let is_key = hop.to == hop.table.primary_key;
    Ok(sql.push_sql(if is_key { ")" } else { " LIMIT 1)" }))
}
