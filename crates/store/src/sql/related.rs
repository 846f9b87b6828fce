//! SELECT of related rows.

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::AnyWhere;
use model_resource_schema::relation::{JoinTable, Relation};
use model_resource_schema::value::Value;

use super::condition::write_condition;
use super::order::write_order;
use super::table_sql::TableSql;
use super::writer::{SqlWriter, TableAlias};
use crate::error::Result;

/// Alias of the join rows within a statement.
const JOIN: TableAlias = TableAlias::Join;
/// Name of the foreign key to the rows that the relation starts from.
const JOINED_FROM: &str = "within_from";
/// Name of the foreign key to the related rows.
const JOINED_TO: &str = "within_to";
/// Maximum values whose related rows come with arrays. The limit of rows does not limit the elements of their arrays, of
/// which each has at most this number.
const MAX_AGGREGATED: usize = 128;

/// Form of the values that a row behind a join table is related to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JoinedValues {
    /// One value; a row is returned once for each.
    Single,
    /// An array of one value; a row is returned once for each.
    SingleInArray,
    /// An array of all values of the row.
    Array,
}

impl JoinedValues {
    fn of<'v, W: SqlWriter<'v>>(values: &[Value]) -> Self {
        if !W::AGGREGATES_JOINED {
            Self::Single
        } else if values.len() > MAX_AGGREGATED {
            Self::SingleInArray
        } else {
            Self::Array
        }
    }
}

/// SELECT of the rows that a relation leads to from these values, in the declared order and that of their primary keys.
/// Behind a join table, the value follows the columns of each row, or the array of all values that the row is related to.
pub(crate) fn select_related<'v, W: SqlWriter<'v>>(
    table_sql: &TableSql,
    relation: &'v Relation,
    values: &'v [Value],
    limit: u64,
) -> Result<W> {
    let (table, column) = (relation.table, &relation.table.columns[relation.to]);
    let sql = write_columns(W::start("SELECT "), table_sql, relation);
    let sql = match &relation.through {
        Some(join) => {
            let form = JoinedValues::of::<W>(values);
            let sql = match form {
                JoinedValues::Single | JoinedValues::Array => JOIN.column(sql.push_sql(", "), JOINED_FROM),
                JoinedValues::SingleInArray => {
                    JOIN.column(sql.push_sql(", ARRAY["), JOINED_FROM).push_sql("]")
                }
            };
            let sql = sql.push_sql(" FROM ").table(table);
            let sql = write_join(sql.push_sql(" JOIN ("), join, values, form)?.push_sql(") AS ");
            let sql = JOIN.column(JOIN.write(sql).push_sql(" ON "), JOINED_TO);
            let sql = TableAlias::Root(table).column(sql.push_sql(" = "), column.database_name);
            sql.push_sql(" WHERE TRUE")
        }
        None => {
            let sql = sql.push_sql(" FROM ").table(table).push_sql(" WHERE ");
            sql.name(column.database_name).in_list(column, values)?
        }
    };
    let sql = write_visible(sql, table, relation.visible.as_ref())?;
    let sql = write_order(sql, table, &relation.order)?;
    let sql = sql.push_sql(if relation.order.is_empty() {
        " ORDER BY "
    } else {
        ", "
    });
    let sql = TableAlias::Root(table).column(sql, table.key().database_name);
    Ok(sql.push_sql(" LIMIT ").count(limit))
}

/// Type of the value that follows the columns of a related row, if there is one.
pub(crate) fn extra_kind(relation: &Relation) -> Option<DataType> {
    let join = relation.through.as_ref()?;
    Some(join.table.columns[join.from].data_type)
}

/// Appends the columns of a table, with NULL for those that are not read.
fn write_columns<'v, W: SqlWriter<'v>>(mut sql: W, table_sql: &TableSql, relation: &Relation) -> W {
    let table = relation.table;
    let is_read = |column| relation.columns.contains(column);
    if relation.through.is_none() && (0..table.columns.len()).all(is_read) {
        return sql.push_sql(&table_sql.columns);
    }
    for (position, column) in table.columns.iter().enumerate() {
        sql = sql.push_sql(if position > 0 { ", " } else { "" });
        sql = if is_read(position) {
            TableAlias::Root(table).column(sql, column.database_name)
        } else {
            sql.push_sql("NULL")
        };
    }
    sql
}

/// Appends the SELECT of the pairs of keys that visible join rows relate, each once, or of arrays of them. The database need
/// not look for equal pairs if a constraint makes them unique.
fn write_join<'v, W: SqlWriter<'v>>(
    sql: W,
    join: &'v JoinTable,
    values: &'v [Value],
    form: JoinedValues,
) -> Result<W> {
    let (table, from) = (join.table, &join.table.columns[join.from]);
    let is_of_pair = |column: &usize| [join.from, join.to].contains(column);
    let mut uniques = table.uniques.iter();
    let is_unique = uniques.any(|unique| unique.condition.is_none() && unique.columns.iter().all(is_of_pair));
    let distinct = if is_unique { "" } else { "DISTINCT " };
    let sql = sql.push_sql("SELECT ");
    let sql = if form == JoinedValues::Array {
        let sql = sql.push_sql("array_agg(").push_sql(distinct);
        sql.name(from.database_name).push_sql(")")
    } else {
        sql.push_sql(distinct).name(from.database_name)
    };
    let sql = sql.push_sql(" AS ").name(JOINED_FROM).push_sql(", ");
    let to = table.columns[join.to].database_name;
    let sql = sql.name(to).push_sql(" AS ").name(JOINED_TO).push_sql(" FROM ");
    let sql = sql.table(table).push_sql(" WHERE ").name(from.database_name);
    let sql = write_visible(sql.in_list(from, values)?, table, join.visible.as_ref())?;
    Ok(if form == JoinedValues::Array {
        sql.push_sql(" GROUP BY ").name(to)
    } else {
        sql
    })
}

/// Appends the visibility filter of a table's rows.
fn write_visible<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    visible: Option<&'v AnyWhere>,
) -> Result<W> {
    match visible {
        Some(condition) => write_condition(sql.push_sql(" AND "), table, condition),
        None => Ok(sql),
    }
}
