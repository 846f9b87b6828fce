//! Conditions as SQL. Rows for which a condition evaluates to NULL do not match.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::query::{AnyWhere, Comparison, FieldPath, Predicate, RelationStep};

use super::document::compare_document;
use super::few_rows::step_to_few;
use super::writer::TableAlias;
use super::writer::{SqlWriter, comparable, operator};
use crate::error::Result;

/// Appends a condition on the rows of a table. It may evaluate to NULL where it does not hold.
pub(crate) fn write_condition<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    condition: &'v AnyWhere,
) -> Result<W> {
    write(sql, table, TableAlias::Root(table), condition)
}

fn write<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    alias: TableAlias,
    condition: &'v AnyWhere,
) -> Result<W> {
    match condition {
        AnyWhere::And(conditions) if conditions.is_empty() => Ok(sql.push_sql("TRUE")),
        AnyWhere::Or(conditions) if conditions.is_empty() => Ok(sql.push_sql("FALSE")),
        AnyWhere::And(conditions) => joined(sql, table, alias, conditions, " AND "),
        AnyWhere::Or(conditions) => joined(sql, table, alias, conditions, " OR "),
        AnyWhere::Not(condition) => {
            let sql = write(sql.push_sql("("), table, alias, condition)?;
            Ok(sql.push_sql(") IS NOT TRUE"))
        }
        AnyWhere::Likely(condition) => {
            let sql = write(sql.push_sql("("), table, alias, condition)?;
            Ok(sql.push_sql(W::LIKELY_SUFFIX))
        }
        AnyWhere::Compare(path, Predicate::Null(true)) if !path.steps().is_empty() => {
            compare(sql.push_sql("NOT "), table, alias, path, &Predicate::Null(false))
        }
        AnyWhere::Compare(path, test) => {
            match step_to_few(table, path, test).filter(|_| W::FINDS_FEW_FIRST) {
                Some(step) => compare_few(sql, (table, alias), step, path, test),
                None => compare(sql, table, alias, path, test),
            }
        }
    }
}

/// Finds the referenced rows first, then those that reference them.
fn compare_few<'v, W: SqlWriter<'v>>(
    sql: W,
    (table, alias): (&'static Table, TableAlias),
    step: &'v RelationStep,
    path: &'v FieldPath,
    test: &'v Predicate,
) -> Result<W> {
    let inner = alias.nested();
    let sql = alias.column(sql, table.columns[step.from].database_name);
    let key = step.table.columns[step.to].database_name;
    let sql = inner.column(sql.push_sql(" IN (SELECT "), key).push_sql(" FROM ");
    let sql = inner.write(sql.table(step.table).push_sql(" AS "));
    let sql = compare_last(sql.push_sql(" WHERE "), inner, path, test)?;
    Ok(write_visible(sql, step, inner)?.push_sql(")"))
}

fn joined<'v, W: SqlWriter<'v>>(
    mut sql: W,
    table: &'static Table,
    alias: TableAlias,
    conditions: &'v [AnyWhere],
    between: &str,
) -> Result<W> {
    for (count, condition) in conditions.iter().enumerate() {
        sql = sql.push_sql(if count > 0 { between } else { "(" });
        sql = write(sql, table, alias, condition)?;
    }
    Ok(sql.push_sql(")"))
}

/// Follows the path to its last table and applies the predicate to each row there.
fn compare<'v, W: SqlWriter<'v>>(
    mut sql: W,
    mut table: &'static Table,
    mut alias: TableAlias,
    path: &'v FieldPath,
    test: &'v Predicate,
) -> Result<W> {
    for hop in path.steps() {
        let inner = alias.nested();
        sql = inner.write(
            sql.push_sql("EXISTS (SELECT 1 FROM ")
                .table(hop.table)
                .push_sql(" AS "),
        );
        sql = inner.column(sql.push_sql(" WHERE "), hop.table.columns[hop.to].database_name);
        sql = alias.column(sql.push_sql(" = "), table.columns[hop.from].database_name);
        sql = write_visible(sql, hop, inner)?.push_sql(" AND ");
        (table, alias) = (hop.table, inner);
    }
    let sql = compare_last(sql, alias, path, test)?;
    Ok(sql.push_sql(&")".repeat(path.steps().len())))
}

/// Applies the predicate to the value at the end of a path.
fn compare_last<'v, W: SqlWriter<'v>>(
    sql: W,
    alias: TableAlias,
    path: &'v FieldPath,
    test: &'v Predicate,
) -> Result<W> {
    if path.keys().is_empty() {
        compare_column(sql, alias, path, test)
    } else {
        Ok(compare_document(sql, alias, path, test))
    }
}

/// Appends the number of visible rows that the path leads to from each row of a table. Behind a join table, a row that
/// several join rows lead to counts once.
pub(super) fn write_count<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    path: &'v FieldPath,
) -> Result<W> {
    let outer = TableAlias::Root(table);
    let Some((first, rest)) = path.steps().split_first() else {
        return Ok(sql.push_sql("0"));
    };
    let inner = outer.nested();
    let sql = match rest.first() {
        Some(second) => {
            let key = first.table.columns[second.from].database_name;
            inner.column(sql.push_sql("(SELECT count(DISTINCT "), key)
        }
        None => sql.push_sql("(SELECT count(*"),
    };
    let sql = inner.write(sql.push_sql(") FROM ").table(first.table).push_sql(" AS "));
    let sql = inner.column(
        sql.push_sql(" WHERE "),
        first.table.columns[first.to].database_name,
    );
    let sql = outer.column(sql.push_sql(" = "), table.columns[first.from].database_name);
    let mut sql = write_visible(sql, first, inner)?;
    // The foreign key guarantees that the related row exists, so that only its visibility is looked up.
    for step in rest.iter().filter(|step| step.visible.is_some()) {
        let related = inner.nested();
        sql = sql.push_sql(" AND EXISTS (SELECT 1 FROM ").table(step.table);
        sql = related.write(sql.push_sql(" AS "));
        sql = related.column(sql.push_sql(" WHERE "), step.table.columns[step.to].database_name);
        sql = inner.column(sql.push_sql(" = "), first.table.columns[step.from].database_name);
        sql = write_visible(sql, step, related)?.push_sql(")");
    }
    Ok(sql.push_sql(")"))
}

/// Appends the visibility filter of the rows that a relation step leads to.
pub(super) fn write_visible<'v, W: SqlWriter<'v>>(
    sql: W,
    hop: &'v RelationStep,
    alias: TableAlias,
) -> Result<W> {
    match &hop.visible {
        Some(condition) => write(sql.push_sql(" AND "), hop.table, alias, condition),
        None => Ok(sql),
    }
}

/// Whether a test compares a column of an enum type by equality, which is that of the texts and can use an index.
fn is_equality_of_type(column: &Column, test: &Predicate) -> bool {
    let is_equality = match test {
        Predicate::Is(comparison, _) => matches!(comparison, Comparison::Eq | Comparison::Ne),
        Predicate::OneOf(_) | Predicate::NoneOf(_) | Predicate::Null(_) => true,
        Predicate::Between(..) | Predicate::Like(_) | Predicate::IsColumn(..) => false,
    };
    column.postgres_type.is_some() && is_equality
}

fn compare_column<'v, W: SqlWriter<'v>>(
    sql: W,
    alias: TableAlias,
    path: &'v FieldPath,
    test: &'v Predicate,
) -> Result<W> {
    let column = path.column();
    let (as_text, collation) = if is_equality_of_type(column, test) {
        ("", "")
    } else {
        comparable::<W>(column.data_type)
    };
    let operand = |sql: W| alias.column(sql, column.database_name).push_sql(as_text);
    match test {
        Predicate::Is(comparison, value) => operand(sql)
            .push_sql(collation)
            .push_sql(operator(*comparison))
            .bind_for_search(column, value),
        Predicate::OneOf(values) if values.is_empty() => Ok(sql.push_sql("FALSE")),
        Predicate::OneOf(values) => operand(sql).push_sql(collation).in_list(column, values),
        Predicate::NoneOf(values) if values.is_empty() => Ok(operand(sql).push_sql(" IS NOT NULL")),
        Predicate::NoneOf(values) => {
            let sql = operand(sql.push_sql("NOT ")).push_sql(collation);
            sql.in_list(column, values)
        }
        Predicate::Between(min, max) => {
            let sql = operand(sql).push_sql(collation).push_sql(" BETWEEN ");
            sql.bind_for_search(column, min)?
                .push_sql(" AND ")
                .bind_for_search(column, max)
        }
        Predicate::Like(pattern) => Ok(sql.like(pattern, operand)),
        Predicate::Null(true) => Ok(operand(sql).push_sql(" IS NULL")),
        Predicate::Null(false) => Ok(operand(sql).push_sql(" IS NOT NULL")),
        Predicate::IsColumn(comparison, other) => {
            let other = path.table().columns[*other].database_name;
            let sql = operand(sql).push_sql(collation).push_sql(operator(*comparison));
            Ok(alias.column(sql, other).push_sql(as_text))
        }
    }
}
