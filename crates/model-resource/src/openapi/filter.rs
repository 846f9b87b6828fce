//! Query parameters of filters: one for each field and operator.

use model_resource_schema::data_type::DataType;
use serde_json::{Value, json};

use crate::description::FilterDescription;
use crate::openapi::data_type::input_schema_of;
use crate::openapi::shared_parts::SharedParts;
use crate::query::{QUERY_LIMITS, is_list_parameter};

/// Types whose values have one schema for all fields, and its name.
const TYPES: [(DataType, &str); 12] = [
    (DataType::Bool, "Boolean"),
    (DataType::I16, "Int16"),
    (DataType::I32, "Int32"),
    (DataType::I64, "Int64"),
    (DataType::F32, "Float"),
    (DataType::F64, "Double"),
    (DataType::Text, "Text"),
    (DataType::Bytes, "Bytes"),
    (DataType::Date, "Date"),
    (DataType::Time, "Time"),
    (DataType::Timestamp, "Timestamp"),
    (DataType::Uuid, "Uuid"),
];

/// Number of values that a filter takes.
#[derive(Clone, Copy)]
enum Values {
    One,
    /// Comma-separated values.
    List,
    /// Smallest and largest value.
    Range,
}

/// Adds the filters on one field. A field with the name of another parameter needs an explicit operator.
pub(super) fn add(
    filter: &FilterDescription,
    own: &[&'static str],
    shared: &mut SharedParts,
    parameters: &mut Vec<Value>,
) {
    let field = filter.field.as_str();
    let is_taken = is_list_parameter(field) || own.contains(&field);
    for operator in &filter.operators {
        let name = match *operator {
            "eq" if !is_taken => field.to_owned(),
            operator => format!("{field}[{operator}]"),
        };
        parameters.push(parameter(&name, operator, filter.data_type, shared));
    }
}

fn parameter(name: &str, operator: &str, data_type: DataType, shared: &mut SharedParts) -> Value {
    let schema = match operator {
        "in" | "nin" => values(data_type, Values::List, shared),
        "between" => values(data_type, Values::Range, shared),
        "isnull" => json!({"type": "boolean"}),
        "contains" | "icontains" | "startswith" | "endswith" | "like" | "ilike" => shared.value(
            "FilterPattern",
            || json!({"type": "string", "maxLength": QUERY_LIMITS.search_text, "pattern": "^[^\\u0000]*$"}),
        ),
        _ => values(data_type, Values::One, shared),
    };
    if matches!(operator, "in" | "nin" | "between") {
        json!({"name": name, "in": "query", "style": "form", "explode": false, "schema": schema})
    } else {
        json!({"name": name, "in": "query", "schema": schema})
    }
}

/// Schema of the values of a filter, shared by all fields of the type.
fn values(data_type: DataType, values: Values, shared: &mut SharedParts) -> Value {
    let Some(name) = shared_name(data_type) else {
        return schema(data_type, values);
    };
    let name = match values {
        Values::One => format!("Filter{name}"),
        Values::List => format!("Filter{name}List"),
        Values::Range => format!("Filter{name}Range"),
    };
    shared.value(&name, || schema(data_type, values))
}

fn schema(data_type: DataType, values: Values) -> Value {
    let mut one = Value::Object(input_schema_of(data_type));
    let (min, max) = match values {
        Values::One => return one,
        Values::List => (1, QUERY_LIMITS.values),
        Values::Range => (2, 2),
    };
    if data_type == DataType::Text {
        // A comma separates values, unless a backslash precedes it.
        one["pattern"] = "^[^\\u0000,\\\\]*$".into();
    }
    json!({"type": "array", "items": one, "minItems": min, "maxItems": max})
}

/// Whether a schema of values has this name.
pub(super) fn is_value_name(name: &str) -> bool {
    let Some(name) = name.strip_prefix("Filter") else {
        return false;
    };
    let name = name
        .strip_suffix("List")
        .or(name.strip_suffix("Range"))
        .unwrap_or(name);
    name == "Pattern" || TYPES.iter().any(|(_, known)| *known == name)
}

/// Name of a type whose values have one schema for all fields.
fn shared_name(data_type: DataType) -> Option<&'static str> {
    let known = TYPES.iter().find(|(known, _)| *known == data_type);
    known.map(|(_, name)| *name)
}
