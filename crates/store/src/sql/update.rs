//! UPDATE statements.

use model_resource_schema::draft::Changes;
use model_resource_schema::model::Record;
use model_resource_schema::query::AnyQuery;
use model_resource_schema::value::Value;

use super::select::write_filter;
use super::table_sql::TableSql;
use super::writer::SqlWriter;
use crate::error::Result;

/// UPDATE of the row with this key, if the query selects it and it still has the values of `unchanged`. Returns all
/// columns of the row.
///
/// A derived column is set only if one of the columns that it follows changes its value.
pub(crate) fn write_update<'v, W: SqlWriter<'v>>(
    table_sql: &TableSql,
    select: &'v AnyQuery,
    key: &'v Value,
    unchanged: Option<&'v Record>,
    changes: &'v Changes,
) -> Result<W> {
    let table = select.table();
    let mut sql = W::start("UPDATE ").name(table.name).push_sql(" SET ");
    for (count, (position, value)) in changes.values.iter().enumerate() {
        let column = &table.columns[*position];
        sql = sql.push_sql(if count > 0 { ", " } else { "" });
        sql = sql.name(column.database_name).push_sql(" = ");
        let Some(causes) = changes.derived_from(*position) else {
            sql = sql.value(column, value)?;
            continue;
        };
        sql = sql.push_sql("CASE WHEN FALSE");
        for (cause, new) in causes {
            sql = sql
                .push_sql(" OR ")
                .compare(&table.columns[*cause], W::IS_DISTINCT, new)?;
        }
        sql = sql.push_sql(" THEN ").value(column, value)?.push_sql(" ELSE ");
        sql = sql.name(column.database_name).push_sql(" END");
    }
    sql = write_filter(sql, select)?;
    sql = sql.push_sql(" AND ").compare(table.key(), " = ", key)?;
    for (column, value) in std::iter::zip(table.columns, unchanged.map_or(&[][..], Record::values)) {
        sql = sql.push_sql(" AND ").compare(column, W::IS_NOT_DISTINCT, value)?;
    }
    Ok(sql.push_sql(" RETURNING ").push_sql(&table_sql.columns))
}
