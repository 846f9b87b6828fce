//! Query parameters of filters: one for each field and operator. They are most of a document, so they are written as text.

use model_resource_schema::data_type::DataType;
use serde_json::{Map, Value, json};

use crate::description::ListDescription;
use crate::openapi::data_type::input_schema_of;
use crate::openapi::json_writer::{JsonArrayWriter, text, write};
use crate::query::{QUERY_LIMITS, is_list_parameter};

/// Place of shared schemas in a document.
const SCHEMAS: &str = "#/components/schemas/";
/// Reference to the schema of patterns.
const PATTERN: &str = "#/components/schemas/FilterPattern";

/// References to the schemas of one, several, and two values of a type.
macro_rules! references {
    ($name:literal) => {
        [
            concat!("#/components/schemas/Filter", $name),
            concat!("#/components/schemas/Filter", $name, "List"),
            concat!("#/components/schemas/Filter", $name, "Range"),
        ]
    };
}

/// Types whose values have the same schemas for all fields, and references to them.
const TYPES: [(DataType, [&str; 3]); 12] = [
    (DataType::Bool, references!("Boolean")),
    (DataType::I16, references!("Int16")),
    (DataType::I32, references!("Int32")),
    (DataType::I64, references!("Int64")),
    (DataType::F32, references!("Float")),
    (DataType::F64, references!("Double")),
    (DataType::Text, references!("Text")),
    (DataType::Bytes, references!("Bytes")),
    (DataType::Date, references!("Date")),
    (DataType::Time, references!("Time")),
    (DataType::Timestamp, references!("Timestamp")),
    (DataType::Uuid, references!("Uuid")),
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

impl Values {
    const ALL: [Self; 3] = [Self::One, Self::List, Self::Range];
}

/// Schemas of values that the filters of a document refer to.
#[derive(Default)]
pub(super) struct FilterSchemas {
    /// Whether each schema of each of `TYPES` is used.
    used: [[bool; 3]; TYPES.len()],
    is_pattern_used: bool,
}

impl FilterSchemas {
    /// Writes the filters of a list.
    pub(super) fn write(&mut self, list: &ListDescription, parameters: &mut JsonArrayWriter<'_>) {
        for filter in &list.filters {
            // A field with the name of another parameter needs an explicit operator.
            let name = filter.field.as_str();
            let is_taken = is_list_parameter(name) || list.own_parameters.contains(&name);
            self.write_field(name, is_taken, &filter.operators, filter.data_type, parameters);
        }
    }

    /// Writes the filters of a field, one for each operator.
    pub(super) fn write_field(
        &mut self,
        name: &str,
        needs_operator: bool,
        operators: &[&'static str],
        data_type: DataType,
        parameters: &mut JsonArrayWriter<'_>,
    ) {
        let mut beginning = text(name);
        beginning.pop();
        for &operator in operators {
            let operator_shown = (needs_operator || operator != "eq").then_some(operator);
            parameters.with(|out| {
                append_name(&beginning, operator_shown, out);
                if matches!(operator, "in" | "nin" | "between") {
                    out.extend_from_slice(b",\"style\":\"form\",\"explode\":false");
                }
                out.extend_from_slice(b",\"schema\":");
                self.append_schema(operator, data_type, out);
                out.push(b'}');
            });
        }
    }

    /// Writes the filters of a list by the keys of related objects.
    pub(super) fn write_relations(&mut self, list: &ListDescription, parameters: &mut JsonArrayWriter<'_>) {
        for relation in &list.relations {
            let Some(key_type) = relation.key_type else {
                continue;
            };
            let mut beginning = text(&relation.field);
            beginning.pop();
            parameters.with(|out| {
                append_name(&beginning, Some("has"), out);
                out.extend_from_slice(b",\"style\":\"form\",\"explode\":false,\"schema\":");
                self.append_schema("in", key_type, out);
                out.push(b'}');
            });
        }
    }

    fn append_schema(&mut self, operator: &str, data_type: DataType, out: &mut Vec<u8>) {
        let values = match operator {
            "isnull" => return out.extend_from_slice(b"{\"type\":\"boolean\"}"),
            "contains" | "icontains" | "startswith" | "endswith" | "like" | "ilike" => {
                self.is_pattern_used = true;
                return append_reference(PATTERN, out);
            }
            "in" | "nin" => Values::List,
            "between" => Values::Range,
            _ => Values::One,
        };
        match TYPES.iter().position(|(known, _)| *known == data_type) {
            Some(position) => {
                self.used[position][values as usize] = true;
                append_reference(TYPES[position].1[values as usize], out);
            }
            None => write(out, &schema(data_type, values)),
        }
    }

    /// Schemas that are used, by name.
    pub(super) fn into_schemas(self) -> Map<String, Value> {
        let mut schemas = Map::new();
        for ((data_type, references), used) in TYPES.iter().zip(self.used) {
            for values in Values::ALL.into_iter().filter(|values| used[*values as usize]) {
                let name = schema_name(references[values as usize]);
                schemas.insert(name.to_owned(), schema(*data_type, values));
            }
        }
        if self.is_pattern_used {
            let pattern =
                json!({"type": "string", "maxLength": QUERY_LIMITS.search_text, "pattern": "^[^\\u0000]*$"});
            schemas.insert(schema_name(PATTERN).to_owned(), pattern);
        }
        schemas
    }
}

/// Appends the name and the place of a parameter, whose name begins with a text without its closing quote.
fn append_name(beginning: &[u8], operator: Option<&str>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"name\":");
    out.extend_from_slice(beginning);
    if let Some(operator) = operator {
        out.push(b'[');
        out.extend_from_slice(operator.as_bytes());
        out.push(b']');
    }
    out.extend_from_slice(b"\",\"in\":\"query\"");
}

fn append_reference(reference: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"$ref\":\"");
    out.extend_from_slice(reference.as_bytes());
    out.extend_from_slice(b"\"}");
}

/// Name of the schema that a reference leads to.
fn schema_name(reference: &'static str) -> &'static str {
    reference.strip_prefix(SCHEMAS).unwrap_or(reference)
}

fn schema(data_type: DataType, values: Values) -> Value {
    let mut one = Value::from(input_schema_of(data_type));
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
    let mut references = TYPES.iter().flat_map(|(_, references)| references);
    name == schema_name(PATTERN) || references.any(|reference| schema_name(reference) == name)
}
