//! Conditions on values inside JSON documents.

use model_resource_schema::query::{Comparison, FieldPath, JsonKey, Predicate};
use model_resource_schema::value::Value;

use super::writer::TableAlias;
use super::writer::{JsonType, SqlWriter, operator};

/// A value inside a JSON document of a row.
#[derive(Clone, Copy)]
struct DocumentValue<'p> {
    alias: TableAlias,
    path: &'p FieldPath,
}

impl<'p> DocumentValue<'p> {
    /// Appends the value as a JSON document.
    fn document<'v, W: SqlWriter<'v>>(self, sql: W) -> W {
        if let (TableAlias::Root(_), [JsonKey::Member(name), rest @ ..]) = (self.alias, self.path.keys())
            && let Some(member) = sql.extracted_member(self.path.column(), name)
        {
            return rest.iter().fold(sql.name(&member), W::json_key);
        }
        let column = self
            .alias
            .column(sql, self.path.column().database_name)
            .push_sql(W::AS_DOCUMENT);
        self.path.keys().iter().fold(column, W::json_key)
    }

    /// Appends the value in its comparable form if it has this type, else NULL.
    fn operand<'v, W: SqlWriter<'v>>(self, sql: W, ty: JsonType) -> W {
        let sql = sql.json_value(ty, &|sql| self.document(sql));
        match ty {
            JsonType::Text => sql.push_sql(W::BINARY_COLLATION),
            JsonType::Number | JsonType::Bool => sql,
        }
    }

    fn compare<'v, W: SqlWriter<'v>>(self, sql: W, operator: &str, value: &Value) -> W {
        let sql = self.operand(sql, JsonType::of(value));
        sql.push_sql(operator).bind_json(value)
    }

    /// Appends whether the value is one of these. The JSON path is written once per type rather than once per value,
    /// because databases limit the number of parameters.
    fn one_of<'v, W: SqlWriter<'v>>(self, sql: W, values: &[Value]) -> W {
        let mut sql = sql.push_sql("(FALSE");
        for ty in [JsonType::Text, JsonType::Number, JsonType::Bool] {
            let mut same = values.iter().filter(|value| JsonType::of(value) == ty);
            let Some(first) = same.next() else { continue };
            sql = self
                .operand(sql.push_sql(" OR "), ty)
                .push_sql(" IN (")
                .bind_json(first);
            sql = same.fold(sql, |sql, value| sql.push_sql(", ").bind_json(value));
            sql = sql.push_sql(")");
        }
        sql.push_sql(")")
    }

    fn not_null<'v, W: SqlWriter<'v>>(self, sql: W) -> W {
        sql.json_not_null(&|sql| self.document(sql))
    }
}

/// Compares a value inside a JSON document. It has no declared type, so it equals only values of the same JSON type.
pub(super) fn compare_document<'v, W: SqlWriter<'v>>(
    sql: W,
    alias: TableAlias,
    path: &'v FieldPath,
    test: &'v Predicate,
) -> W {
    let operand = DocumentValue { alias, path };
    match test {
        // A value of another type also differs.
        Predicate::Is(Comparison::Ne, value) => {
            let sql = operand.not_null(sql).push_sql(" AND (");
            operand.compare(sql, " = ", value).push_sql(") IS NOT TRUE")
        }
        Predicate::Is(comparison, value) => operand.compare(sql, operator(*comparison), value),
        Predicate::OneOf(values) => operand.one_of(sql, values),
        Predicate::NoneOf(values) => {
            let sql = operand.not_null(sql).push_sql(" AND ");
            operand.one_of(sql, values).push_sql(" IS NOT TRUE")
        }
        Predicate::Between(min, max) => {
            let sql = operand.compare(sql, " >= ", min).push_sql(" AND ");
            operand.compare(sql, " <= ", max)
        }
        Predicate::Like(pattern) => {
            let text = |sql: W| sql.json_value(JsonType::Text, &|sql| operand.document(sql));
            sql.like(pattern, text)
        }
        Predicate::Null(true) => operand.not_null(sql).push_sql(" IS NOT TRUE"),
        Predicate::Null(false) => operand.not_null(sql),
        // Only columns are compared with columns.
        Predicate::IsColumn(..) => sql.push_sql("FALSE"),
    }
}
