//! SELECT statements of groups: keys, aggregates, HAVING and ORDER BY.

use model_resource_schema::column::Table;
use model_resource_schema::query::{AnyAggregate, AnyGroupValue, Nulls, Predicate, exact_scale};
use model_resource_schema::value::Value;
use rust_decimal::Decimal;

use super::select::write_filter;
use super::writer::{SqlWriter, TableAlias, comparable, operator};
use crate::error::{Error, Result};

/// SELECT of the groups of a query. Its columns are the keys and the aggregates.
pub(crate) fn select_groups<'v, W: SqlWriter<'v>>(query: &'v AnyAggregate) -> Result<W> {
    let (table, select) = (query.table(), query.select());
    let mut sql = W::start("SELECT ");
    for (count, value) in query.values().enumerate() {
        sql = write_value(sql.push_sql(if count > 0 { ", " } else { "" }), table, value);
    }
    sql = sql.push_sql(" FROM ").table(table);
    sql = write_filter(sql.extract_members(table, select.condition()), select)?;
    for position in 1..=query.keys().len() {
        sql = sql.push_sql(if position > 1 { ", " } else { " GROUP BY " });
        sql = sql.push_sql(&position.to_string());
    }
    for (count, (value, predicate)) in query.conditions().iter().enumerate() {
        sql = sql.push_sql(if count > 0 { " AND " } else { " HAVING " });
        sql = write_condition(sql, table, *value, predicate)?;
    }
    sql = write_order(sql, query);
    if let Some(groups) = query.max_groups().or((query.skipped() > 0).then_some(u64::MAX)) {
        sql = sql.push_sql(" LIMIT ").count(groups);
    }
    Ok(match query.skipped() {
        0 => sql,
        groups => sql.push_sql(" OFFSET ").count(groups),
    })
}

/// Appends ORDER BY the positions of the values.
fn write_order<'v, W: SqlWriter<'v>>(mut sql: W, query: &AnyAggregate) -> W {
    let is_grouped = !query.keys().is_empty();
    for (count, key) in query.total_order().into_iter().enumerate() {
        let position = query.values().position(|value| value == key.value);
        sql = sql.push_sql(if count > 0 { ", " } else { " ORDER BY " });
        sql = sql.push_sql(&(position.map_or(1, |position| position + 1)).to_string());
        sql = sql.push_sql(if key.descending { " DESC" } else { "" });
        sql = match (key.value.is_nullable(query.table(), is_grouped), key.nulls) {
            (false, _) => sql,
            (true, Nulls::First) => sql.push_sql(" NULLS FIRST"),
            (true, Nulls::Last) => sql.push_sql(" NULLS LAST"),
        };
    }
    sql
}

/// Appends a value of a group.
fn write_value<'v, W: SqlWriter<'v>>(sql: W, table: &'static Table, value: AnyGroupValue) -> W {
    let Some(position) = value.column() else {
        return sql.push_sql("count(*)");
    };
    let column = &table.columns[position];
    let plain = |sql: W| TableAlias::Root(table).column(sql, column.database_name);
    let (as_text, collation) = comparable::<W>(column.data_type);
    let compared = |sql: W| plain(sql).push_sql(as_text).push_sql(collation);
    let exact = exact_scale(column.data_type);
    match value {
        AnyGroupValue::Count => sql,
        AnyGroupValue::Column(_) => compared(sql),
        AnyGroupValue::Calendar(unit, _) => sql.calendar_unit(unit, column.data_type, &plain),
        AnyGroupValue::CountDistinct(_) => compared(sql.push_sql("count(DISTINCT ")).push_sql(")"),
        AnyGroupValue::Sum(_) if exact.is_some() => sql.exact_sum(&plain),
        AnyGroupValue::Sum(_) => plain(sql.push_sql("sum(")).push_sql(W::AS_DOUBLE).push_sql(")"),
        AnyGroupValue::Average(_) => match exact {
            Some(scale) => sql.exact_mean(scale, &plain),
            None => plain(sql.push_sql("avg(")).push_sql(W::AS_DOUBLE).push_sql(")"),
        },
        AnyGroupValue::Min(_) => compared(sql.push_sql("min(")).push_sql(")"),
        AnyGroupValue::Max(_) => compared(sql.push_sql("max(")).push_sql(")"),
    }
}

/// Appends a condition on an aggregate.
fn write_condition<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    value: AnyGroupValue,
    predicate: &'v Predicate,
) -> Result<W> {
    let sql = match predicate {
        Predicate::NoneOf(values) if !values.is_empty() => sql.push_sql("NOT "),
        _ => sql,
    };
    let sql = write_value(sql, table, value);
    match predicate {
        Predicate::Is(comparison, other) => bind(sql.push_sql(operator(*comparison)), table, value, other),
        Predicate::Between(min, max) => {
            let sql = bind(sql.push_sql(" BETWEEN "), table, value, min)?;
            bind(sql.push_sql(" AND "), table, value, max)
        }
        Predicate::OneOf(values) | Predicate::NoneOf(values) => {
            let mut sql = sql.push_sql(" IN (");
            for (count, other) in values.iter().enumerate() {
                sql = bind(
                    sql.push_sql(if count > 0 { ", " } else { "" }),
                    table,
                    value,
                    other,
                )?;
            }
            Ok(sql.push_sql(if values.is_empty() { "NULL)" } else { ")" }))
        }
        Predicate::Null(true) => Ok(sql.push_sql(" IS NULL")),
        Predicate::Null(false) => Ok(sql.push_sql(" IS NOT NULL")),
        Predicate::Like(_) | Predicate::IsColumn(..) => Err(Error::Failed(
            "groups are selected by values, and not by patterns or columns".to_owned(),
        )),
    }
}

/// Appends a value to compare an aggregate with.
fn bind<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    value: AnyGroupValue,
    other: &'v Value,
) -> Result<W> {
    let column = value.column().map(|column| &table.columns[column]);
    let scale = column.and_then(|column| exact_scale(column.data_type));
    match (value, other, scale) {
        (AnyGroupValue::Min(_) | AnyGroupValue::Max(_), ..) => match column {
            Some(column) => sql.bind_for_search(column, other),
            None => Ok(sql),
        },
        (_, Value::Null, _) => Ok(sql.push_sql("NULL")),
        (AnyGroupValue::Sum(_), Value::Int(number), Some(0)) => Ok(sql.bind_sum((*number).into())),
        (AnyGroupValue::Sum(_), Value::Decimal(number), Some(scale)) => {
            let mut sum: Decimal = number.normalize();
            if sum.scale() > scale.into() {
                return Err(Error::Failed(format!(
                    "a sum is compared with a number of more than {scale} decimal places"
                )));
            }
            sum.rescale(scale.into());
            Ok(sql.bind_sum(sum))
        }
        (AnyGroupValue::Sum(_) | AnyGroupValue::Average(_), Value::Double(number), _) => {
            Ok(sql.bind_double(*number))
        }
        (AnyGroupValue::Count | AnyGroupValue::CountDistinct(_), Value::Int(number), _) => {
            Ok(sql.bind_integer(*number))
        }
        _ => Err(Error::Failed(format!(
            "{value:?} is compared with a value of another type"
        ))),
    }
}
