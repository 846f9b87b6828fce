//! Query parameters of filters: one for each field and operator. They are most of a document, so they borrow from the
//! description and from constants.

use std::fmt;

use model_resource_schema::data_type::DataType;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::description::FilterDescription;
use crate::openapi::data_type::input_schema_of;
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

/// Query parameter of a field and an operator.
#[derive(Debug, Clone, Serialize)]
pub(super) struct FilterParameter<'d> {
    name: FilterName<'d>,
    #[serde(rename = "in")]
    location: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    style: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explode: Option<bool>,
    schema: FilterSchema,
}

/// Name of a parameter: `rating` or `rating[gte]`.
#[derive(Debug, Clone, Copy)]
struct FilterName<'d> {
    field: &'d str,
    operator: Option<&'static str>,
}

impl fmt::Display for FilterName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.operator {
            Some(operator) => write!(f, "{}[{operator}]", self.field),
            None => f.write_str(self.field),
        }
    }
}

impl Serialize for FilterName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.operator {
            Some(_) => serializer.collect_str(self),
            None => serializer.serialize_str(self.field),
        }
    }
}

/// Schema of a parameter.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum FilterSchema {
    Shared {
        #[serde(rename = "$ref")]
        reference: &'static str,
    },
    Own(Value),
}

/// Schemas of values that the filters of a document refer to.
#[derive(Default)]
pub(super) struct FilterSchemas {
    /// Whether each schema of each of `TYPES` is used.
    used: [[bool; 3]; TYPES.len()],
    is_pattern_used: bool,
}

impl FilterSchemas {
    /// Filters on one field. A field with the name of another parameter needs an explicit operator.
    pub(super) fn parameters<'d>(
        &mut self,
        filter: &'d FilterDescription,
        own: &[&'static str],
    ) -> impl Iterator<Item = FilterParameter<'d>> {
        let field = filter.field.as_str();
        let is_taken = is_list_parameter(field) || own.contains(&field);
        filter.operators.iter().map(move |&operator| {
            let has_operator = is_taken || operator != "eq";
            let is_array = matches!(operator, "in" | "nin" | "between");
            FilterParameter {
                name: FilterName {
                    field,
                    operator: has_operator.then_some(operator),
                },
                location: "query",
                style: is_array.then_some("form"),
                explode: is_array.then_some(false),
                schema: self.schema(operator, filter.data_type),
            }
        })
    }

    fn schema(&mut self, operator: &str, data_type: DataType) -> FilterSchema {
        match operator {
            "in" | "nin" => self.values(data_type, Values::List),
            "between" => self.values(data_type, Values::Range),
            "isnull" => FilterSchema::Own(json!({"type": "boolean"})),
            "contains" | "icontains" | "startswith" | "endswith" | "like" | "ilike" => {
                self.is_pattern_used = true;
                FilterSchema::Shared { reference: PATTERN }
            }
            _ => self.values(data_type, Values::One),
        }
    }

    /// Schema of the values of a filter, shared by all fields of the type.
    fn values(&mut self, data_type: DataType, values: Values) -> FilterSchema {
        match TYPES.iter().position(|(known, _)| *known == data_type) {
            Some(position) => {
                self.used[position][values as usize] = true;
                FilterSchema::Shared {
                    reference: TYPES[position].1[values as usize],
                }
            }
            None => FilterSchema::Own(schema(data_type, values)),
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

/// Name of the schema that a reference leads to.
fn schema_name(reference: &'static str) -> &'static str {
    reference.strip_prefix(SCHEMAS).unwrap_or(reference)
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
    let mut references = TYPES.iter().flat_map(|(_, references)| references);
    name == schema_name(PATTERN) || references.any(|reference| schema_name(reference) == name)
}
