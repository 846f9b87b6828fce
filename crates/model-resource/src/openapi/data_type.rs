//! JSON Schema of the wire form of each data type.

use model_resource_schema::data_type::DataType;
use serde_json::{Map, Value, json};

use crate::openapi::json::object;

/// Texts without a null character, which no database accepts.
const TEXT: &str = "^[^\\u0000]*$";
/// Base64 as it is decoded: padded, and without stray bits in the last character.
const BASE64: &str = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";
/// Time of day. The format `time` would require an offset from UTC.
const TIME: &str = "^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,9})?)?$";

/// Smallest number that is rounded to infinity. `f32::MAX` itself is written with fewer digits, as a slightly larger number.
const F32_LIMIT: f64 = 3.402_823_567_797_337e38;

/// Schema of the values of a type, as clients send and receive them.
pub(super) fn schema_of(data_type: DataType) -> Map<String, Value> {
    match data_type {
        DataType::Bool => object(json!({"type": "boolean"})),
        DataType::I16 => integer("int32", i16::MIN.into(), i16::MAX.into()),
        DataType::I32 => integer("int32", i32::MIN.into(), i32::MAX.into()),
        DataType::I64 => integer("int64", i64::MIN, i64::MAX),
        DataType::F32 => object(json!({
            "type": "number",
            "format": "float",
            "exclusiveMinimum": -F32_LIMIT,
            "exclusiveMaximum": F32_LIMIT,
        })),
        DataType::F64 => object(json!({"type": "number", "format": "double"})),
        DataType::Text => object(json!({"type": "string"})),
        DataType::Bytes => object(json!({"type": "string", "contentEncoding": "base64", "pattern": BASE64})),
        DataType::Decimal { precision, scale } => {
            object(json!({"type": "string", "format": "decimal", "pattern": decimal(precision, scale)}))
        }
        DataType::Date => object(json!({"type": "string", "format": "date"})),
        DataType::Time => object(json!({"type": "string", "format": "time-local", "pattern": TIME})),
        DataType::Timestamp => object(json!({"type": "string", "format": "date-time"})),
        DataType::Uuid => object(json!({"type": "string", "format": "uuid"})),
        DataType::Json => {
            let types = ["object", "array", "string", "number", "boolean"];
            object(json!({"type": types, "items": {}, "additionalProperties": true}))
        }
        DataType::Enum(names) => object(json!({"type": "string", "enum": names})),
    }
}

/// Schema of the values of a type in requests: texts must not have null characters.
pub(super) fn input_schema_of(data_type: DataType) -> Map<String, Value> {
    let mut schema = schema_of(data_type);
    if data_type == DataType::Text {
        schema.insert("pattern".to_owned(), TEXT.into());
    }
    schema
}

/// Lets a schema accept null.
pub(super) fn or_null(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(types) = schema.get_mut("type") {
        *types = match types.take() {
            Value::Array(mut types) => {
                types.push("null".into());
                Value::Array(types)
            }
            one => json!([one, "null"]),
        };
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
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

fn integer(format: &str, min: i64, max: i64) -> Map<String, Value> {
    object(json!({"type": "integer", "format": format, "minimum": min, "maximum": max}))
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

    #[test]
    fn null_is_one_more_type_and_one_more_name() {
        let colors = DataType::Enum(&["red"]);
        let nullable = or_null(schema_of(colors));
        assert_eq!(nullable["type"], json!(["string", "null"]));
        assert_eq!(nullable["enum"], json!(["red", null]));
        let document = or_null(schema_of(DataType::Json));
        assert_eq!(document["type"].as_array().map(Vec::len), Some(6));
    }
}
