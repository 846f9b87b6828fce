//! Conditions as SQL. Each is true or it is not: where SQL knows neither, it is not.

use model_resource_schema::column::Table;
use model_resource_schema::kind::Kind;
use model_resource_schema::query::{Comparison, Condition, Hop, Path, Test};
use model_resource_schema::relation::Relation;
use model_resource_schema::value::Value;

use super::place::Place;
use super::writer::{JsonType, SqlWriter};
use crate::error::Result;

/// Writes a condition on the rows of a table, which may be neither true nor false where it does not hold.
pub(crate) fn write_condition<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    condition: &'v Condition,
) -> Result<W> {
    write(sql, table, Place::Selected(table.name), condition)
}

fn write<'v, W: SqlWriter<'v>>(
    sql: W,
    table: &'static Table,
    place: Place,
    condition: &'v Condition,
) -> Result<W> {
    match condition {
        Condition::All(conditions) if conditions.is_empty() => Ok(sql.words("TRUE")),
        Condition::Any(conditions) if conditions.is_empty() => Ok(sql.words("FALSE")),
        Condition::All(conditions) => joined(sql, table, place, conditions, " AND "),
        Condition::Any(conditions) => joined(sql, table, place, conditions, " OR "),
        Condition::Not(condition) => {
            let sql = write(sql.words("("), table, place, condition)?;
            Ok(sql.words(") IS NOT TRUE"))
        }
        Condition::Mostly(condition) => {
            let sql = write(sql.words("("), table, place, condition)?;
            Ok(sql.words(W::MOSTLY))
        }
        Condition::Holds(path, Test::Null(true)) if !path.hops().is_empty() => {
            holds(sql.words("NOT "), table, place, path, &Test::Null(false))
        }
        Condition::Holds(path, test) => holds(sql, table, place, path, test),
    }
}

fn joined<'v, W: SqlWriter<'v>>(
    mut sql: W,
    table: &'static Table,
    place: Place,
    conditions: &'v [Condition],
    between: &str,
) -> Result<W> {
    for (count, condition) in conditions.iter().enumerate() {
        sql = sql.words(if count > 0 { between } else { "(" });
        sql = write(sql, table, place, condition)?;
    }
    Ok(sql.words(")"))
}

/// Follows the path to the last table, where the test is made of each row that it leads to.
fn holds<'v, W: SqlWriter<'v>>(
    mut sql: W,
    mut table: &'static Table,
    mut place: Place,
    path: &'v Path,
    test: &'v Test,
) -> Result<W> {
    for hop in path.hops() {
        let inner = place.deeper();
        sql = inner.write(
            sql.words("EXISTS (SELECT 1 FROM ")
                .name(hop.table.name)
                .words(" AS "),
        );
        sql = inner.column(sql.words(" WHERE "), hop.table.columns[hop.to].database_name);
        sql = place.column(sql.words(" = "), table.columns[hop.from].database_name);
        sql = write_visible(sql, hop, inner)?.words(" AND ");
        (table, place) = (hop.table, inner);
    }
    sql = if path.keys().is_empty() {
        test_column(sql, place, path, test)?
    } else {
        test_document(sql, place, path, test)
    };
    Ok(sql.words(&")".repeat(path.hops().len())))
}

/// Writes what must hold besides of the rows that a hop leads to.
pub(super) fn write_visible<'v, W: SqlWriter<'v>>(sql: W, hop: &'v Hop, place: Place) -> Result<W> {
    match &hop.visible {
        Some(condition) => write(sql.words(" AND "), hop.table, place, condition),
        None => Ok(sql),
    }
}

/// Writes what must hold besides of the rows that a relation leads to.
pub(crate) fn write_related<'v, W: SqlWriter<'v>>(sql: W, relation: &'v Relation) -> Result<W> {
    match &relation.visible {
        Some(condition) => write_condition(sql.words(" AND "), relation.table, condition),
        None => Ok(sql),
    }
}

fn test_column<'v, W: SqlWriter<'v>>(sql: W, place: Place, path: &'v Path, test: &'v Test) -> Result<W> {
    let column = path.column();
    let (as_text, by_characters) = match column.kind {
        Kind::Enum(_) => (W::AS_TEXT, W::BY_CHARACTERS),
        Kind::Text => ("", W::BY_CHARACTERS),
        _ => ("", ""),
    };
    let operand = |sql: W| place.column(sql, column.database_name).words(as_text);
    match test {
        Test::Is(comparison, value) => operand(sql)
            .words(by_characters)
            .words(operator(*comparison))
            .sought(column, value),
        Test::OneOf(values) if values.is_empty() => Ok(sql.words("FALSE")),
        Test::OneOf(values) => operand(sql).words(by_characters).among(column, values),
        Test::NoneOf(values) if values.is_empty() => Ok(operand(sql).words(" IS NOT NULL")),
        Test::NoneOf(values) => {
            let sql = operand(sql.words("NOT ")).words(by_characters);
            sql.among(column, values)
        }
        Test::Between(least, most) => {
            let sql = operand(sql).words(by_characters).words(" BETWEEN ");
            sql.sought(column, least)?.words(" AND ").sought(column, most)
        }
        Test::Like(pattern) => Ok(sql.like(pattern, operand)),
        Test::Null(true) => Ok(operand(sql).words(" IS NULL")),
        Test::Null(false) => Ok(operand(sql).words(" IS NOT NULL")),
    }
}

/// What stands in a document has no type of its own: it is compared with values of the same type alone.
fn test_document<'v, W: SqlWriter<'v>>(sql: W, place: Place, path: &'v Path, test: &'v Test) -> W {
    let document = |sql: W| {
        let column = place
            .column(sql, path.column().database_name)
            .words(W::AS_DOCUMENT);
        path.keys().iter().fold(column, W::json_key)
    };
    let operand = |sql: W, ty: JsonType| {
        let sql = sql.json_value(ty, &document);
        match ty {
            JsonType::Text => sql.words(W::BY_CHARACTERS),
            JsonType::Number | JsonType::Bool => sql,
        }
    };
    let compare = |sql: W, operator: &str, value: &Value| {
        let sql = operand(sql, JsonType::of(value));
        sql.words(operator).json_sought(value)
    };
    // The way into the document is written once for each type, not for each value: databases bind only so many.
    let any = |sql: W, values: &[Value]| {
        let mut sql = sql.words("(FALSE");
        for ty in [JsonType::Text, JsonType::Number, JsonType::Bool] {
            let mut same = values.iter().filter(|value| JsonType::of(value) == ty);
            let Some(first) = same.next() else { continue };
            sql = operand(sql.words(" OR "), ty).words(" IN (").json_sought(first);
            sql = same.fold(sql, |sql, value| sql.words(", ").json_sought(value));
            sql = sql.words(")");
        }
        sql.words(")")
    };
    match test {
        // Of another type is another value too.
        Test::Is(Comparison::Ne, value) => {
            let sql = sql.json_is_something(&document).words(" AND (");
            compare(sql, " = ", value).words(") IS NOT TRUE")
        }
        Test::Is(comparison, value) => compare(sql, operator(*comparison), value),
        Test::OneOf(values) => any(sql, values),
        Test::NoneOf(values) => {
            let sql = sql.json_is_something(&document).words(" AND ");
            any(sql, values).words(" IS NOT TRUE")
        }
        Test::Between(least, most) => {
            let sql = compare(sql, " >= ", least).words(" AND ");
            compare(sql, " <= ", most)
        }
        Test::Like(pattern) => {
            let text = |sql: W| sql.json_value(JsonType::Text, &document);
            sql.like(pattern, text)
        }
        Test::Null(true) => sql.json_is_something(&document).words(" IS NOT TRUE"),
        Test::Null(false) => sql.json_is_something(&document),
    }
}

pub(super) fn operator(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => " = ",
        Comparison::Ne => " <> ",
        Comparison::Gt => " > ",
        Comparison::Gte => " >= ",
        Comparison::Lt => " < ",
        Comparison::Lte => " <= ",
    }
}
