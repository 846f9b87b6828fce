//! Conditions of constraints and partial indexes as SQL, with their values as literals.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::query::{Comparison, Predicate};
use model_resource_schema::table_constraints::RowCondition;
use model_resource_schema::value::Value;

use super::quote::push_identifier;
use super::table_syntax::TableSyntax;
use super::writer::operator;
use crate::coerce::coerce;

/// Appends a condition. It may evaluate to NULL where it does not hold. Fails with the reason why no constraint can
/// have it.
pub(super) fn push_condition<S: TableSyntax>(
    sql: &mut String,
    table: &Table,
    condition: &RowCondition,
) -> Result<(), String> {
    match condition {
        RowCondition::And(conditions) if conditions.is_empty() => Err("matches every row".to_owned()),
        RowCondition::Or(conditions) if conditions.is_empty() => Err("matches no row".to_owned()),
        RowCondition::And(conditions) => push_joined::<S>(sql, table, conditions, " AND "),
        RowCondition::Or(conditions) => push_joined::<S>(sql, table, conditions, " OR "),
        RowCondition::Not(condition) => {
            sql.push('(');
            push_condition::<S>(sql, table, condition)?;
            sql.push_str(") IS NOT TRUE");
            Ok(())
        }
        RowCondition::Compare(column, predicate) => {
            push_comparison::<S>(sql, table, &table.columns[*column], predicate)
        }
        RowCondition::Unsupported(reason) => Err(reason.clone()),
    }
}

/// Whether the condition may evaluate to NULL.
pub(super) fn may_be_null(table: &Table, condition: &RowCondition) -> bool {
    match condition {
        RowCondition::And(conditions) | RowCondition::Or(conditions) => {
            conditions.iter().any(|one| may_be_null(table, one))
        }
        RowCondition::Not(_) | RowCondition::Compare(_, Predicate::Null(_)) => false,
        RowCondition::Compare(..) => {
            let columns = condition.columns();
            columns.iter().any(|column| table.columns[*column].nullable)
        }
        RowCondition::Unsupported(_) => true,
    }
}

fn push_joined<S: TableSyntax>(
    sql: &mut String,
    table: &Table,
    conditions: &[RowCondition],
    between: &str,
) -> Result<(), String> {
    for (count, condition) in conditions.iter().enumerate() {
        sql.push_str(if count > 0 { between } else { "(" });
        push_condition::<S>(sql, table, condition)?;
    }
    sql.push(')');
    Ok(())
}

fn push_comparison<S: TableSyntax>(
    sql: &mut String,
    table: &Table,
    column: &Column,
    predicate: &Predicate,
) -> Result<(), String> {
    if column.postgres_type.is_some() && is_about_order(predicate) {
        return Err(format!(
            "is about the order of `{}`, which an enum type of PostgreSQL has in its own way",
            column.name
        ));
    }
    if let Predicate::NoneOf(_) = predicate {
        sql.push_str("NOT ");
    }
    push_identifier(sql, column.database_name);
    match predicate {
        Predicate::Null(true) => sql.push_str(" IS NULL"),
        Predicate::Null(false) => sql.push_str(" IS NOT NULL"),
        Predicate::Is(comparison, value) => {
            sql.push_str(S::collation(column));
            sql.push_str(operator(*comparison));
            push_value::<S>(sql, column, value)?;
        }
        Predicate::IsColumn(comparison, other) => {
            sql.push_str(S::collation(column));
            sql.push_str(operator(*comparison));
            push_identifier(sql, table.columns[*other].database_name);
        }
        Predicate::OneOf(values) | Predicate::NoneOf(values) => {
            sql.push_str(S::collation(column));
            for (count, value) in values.iter().enumerate() {
                sql.push_str(if count > 0 { ", " } else { " IN (" });
                push_value::<S>(sql, column, value)?;
            }
            sql.push(')');
        }
        Predicate::Between(min, max) => {
            sql.push_str(S::collation(column));
            sql.push_str(" BETWEEN ");
            push_value::<S>(sql, column, min)?;
            sql.push_str(" AND ");
            push_value::<S>(sql, column, max)?;
        }
        Predicate::Like(_) => return Err(format!("searches in the text of `{}`", column.name)),
    }
    Ok(())
}

fn is_about_order(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Is(comparison, _) | Predicate::IsColumn(comparison, _) => {
            !matches!(comparison, Comparison::Eq | Comparison::Ne)
        }
        Predicate::Between(..) => true,
        Predicate::OneOf(_) | Predicate::NoneOf(_) | Predicate::Null(_) | Predicate::Like(_) => false,
    }
}

fn push_value<S: TableSyntax>(sql: &mut String, column: &Column, value: &Value) -> Result<(), String> {
    match (coerce(column, value), value) {
        (Ok(_), Value::Text(text)) if text.contains('\0') => {}
        (Ok(value), _) if S::push_literal(sql, value) => return Ok(()),
        (Ok(_) | Err(_), _) => {}
    }
    Err(format!(
        "compares `{}` with a value that it cannot hold",
        column.name
    ))
}
