//! JSON Schema of the wire form of each data type.

use model_resource_schema::data_type::DataType;
use serde_json::{Value, json};

use crate::openapi::keywords::SchemaKeywords;

/// Texts without a null character, which no database accepts.
const TEXT: &str = "^[^\\u0000]*$";
/// Base64 as it is decoded: padded, and without stray bits in the last character.
const BASE64: &str = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";
/// Time of day. The format `time` would require an offset from UTC.
const TIME: &str = "^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,9})?)?$";

/// Smallest number that is rounded to infinity. `f32::MAX` itself is written with fewer digits, as a slightly larger number.
const F32_LIMIT: f64 = 3.402_823_567_797_337e38;

/// Schema of the values of a type, as clients send and receive them.
pub(super) fn schema_of(data_type: DataType) -> SchemaKeywords {
    let of_type = SchemaKeywords::of_type;
    match data_type {
        DataType::Bool => of_type("boolean"),
        DataType::I16 => integer("int32", i16::MIN.into(), i16::MAX.into()),
        DataType::I32 => integer("int32", i32::MIN.into(), i32::MAX.into()),
        DataType::I64 => integer("int64", i64::MIN, i64::MAX),
        DataType::F32 => of_type("number")
            .with("format", "float")
            .with("exclusiveMinimum", -F32_LIMIT)
            .with("exclusiveMaximum", F32_LIMIT),
        DataType::F64 => of_type("number").with("format", "double"),
        DataType::Text => of_type("string"),
        DataType::Bytes => of_type("string")
            .with("contentEncoding", "base64")
            .with("pattern", BASE64),
        DataType::Decimal { precision, scale } => of_type("string")
            .with("format", "decimal")
            .with("pattern", decimal(precision, scale)),
        DataType::Date => of_type("string").with("format", "date"),
        DataType::Time => of_type("string")
            .with("format", "time-local")
            .with("pattern", TIME),
        DataType::Timestamp => of_type("string").with("format", "date-time"),
        DataType::Uuid => of_type("string").with("format", "uuid"),
        DataType::Json => {
            let types = json!(["object", "array", "string", "number", "boolean"]);
            SchemaKeywords::default()
                .with("type", types)
                .with("items", json!({}))
                .with("additionalProperties", true)
        }
        DataType::Enum(names) => of_type("string").with("enum", names),
    }
}

/// Schema of the values of a type in requests: texts must not have null characters.
pub(super) fn input_schema_of(data_type: DataType) -> SchemaKeywords {
    let schema = schema_of(data_type);
    match data_type {
        DataType::Text => schema.with("pattern", TEXT),
        _ => schema,
    }
}

/// Lets a schema accept null.
pub(super) fn accept_null(schema: &mut SchemaKeywords) {
    if let Some(types) = schema.get_mut("type") {
        *types = match types.take() {
            Value::Array(mut types) => {
                types.push("null".into());
                Value::Array(types)
            }
            one => Value::Array(vec![one, "null".into()]),
        };
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
}

/// JSON value of a text in wire form, such as a default.
pub(super) fn json_value(data_type: DataType, text: &str) -> Option<Value> {
    match data_type {
        DataType::Bool => text.parse().ok().map(Value::Bool),
        DataType::I16 | DataType::I32 | DataType::I64 => text.parse::<i64>().ok().map(Value::from),
        DataType::F32 | DataType::F64 => text.parse::<f64>().ok().map(Value::from),
        DataType::Json => serde_json::from_str(text).ok(),
        DataType::Text | DataType::Bytes | DataType::Decimal { .. } | DataType::Enum(_) => Some(text.into()),
        DataType::Date | DataType::Time | DataType::Timestamp | DataType::Uuid => Some(text.into()),
    }
}

fn integer(format: &str, min: i64, max: i64) -> SchemaKeywords {
    SchemaKeywords::of_type("integer")
        .with("format", format)
        .with("minimum", min)
        .with("maximum", max)
}

fn decimal(precision: u8, scale: u8) -> String {
    let whole = match precision - scale {
        0 => "0".to_owned(),
        digits => format!("[0-9]{{1,{digits}}}"),
    };
    match scale {
        0 => format!("^-?{whole}$"),
        scale => format!("^-?{whole}(?:\\.[0-9]{{1,{scale}}})?$"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_has_at_most_its_digits() {
        assert_eq!(decimal(10, 2), "^-?[0-9]{1,8}(?:\\.[0-9]{1,2})?$");
        assert_eq!(decimal(4, 0), "^-?[0-9]{1,4}$");
        assert_eq!(decimal(2, 2), "^-?0(?:\\.[0-9]{1,2})?$");
    }

    fn with_null(data_type: DataType) -> Value {
        let mut schema = schema_of(data_type);
        accept_null(&mut schema);
        schema.into()
    }

    #[test]
    fn null_is_one_more_type_and_one_more_name() {
        let colors = DataType::Enum(&["red"]);
        let nullable = with_null(colors);
        assert_eq!(nullable["type"], json!(["string", "null"]));
        assert_eq!(nullable["enum"], json!(["red", null]));
        let document = with_null(DataType::Json);
        assert_eq!(document["type"].as_array().map(Vec::len), Some(6));
    }
}
