//! Fields of a form from a JSON Schema.

use serde_json::Value;

use crate::pages::form::FormField;
use crate::pages::naming;

/// Fields for the members of an object schema. A schema of anything else is one JSON document.
pub(crate) fn schema_fields(schema: Option<&Value>, is_login: bool) -> Vec<FormField> {
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    let (Some(schema), Some(properties)) = (schema, properties) else {
        return Vec::new();
    };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let fields = properties.iter().map(|(name, property)| {
        let mut field = schema_field(name, resolved(schema, property), is_required(name));
        field.add_length_help();
        field.add_range_help();
        if is_login && field.options.iter().any(|option| option == "session") {
            // Pages use a session, whatever else the login can issue.
            field.control = "hidden";
            "session".clone_into(&mut field.value);
        }
        if is_login && field.control == "text" {
            field.autocomplete = "username";
        }
        field
    });
    fields.collect()
}

/// Schema that a property refers to.
fn resolved<'s>(schema: &'s Value, property: &'s Value) -> &'s Value {
    let one = |name: &str| {
        property
            .get(name)
            .and_then(Value::as_array)
            .filter(|list| list.len() == 1)
    };
    let property = one("allOf").map_or(property, |list| &list[0]);
    let reference = property.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|reference| schema.pointer(reference.strip_prefix('#')?));
    target.unwrap_or(property)
}

fn schema_field(name: &str, schema: &Value, is_required: bool) -> FormField {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let text = |name: &str| schema.get(name).and_then(Value::as_str).unwrap_or_default();
    let options = choices(schema);
    let nullable = types.contains(&"null");
    let (control, json_type) = match types.iter().find(|name| **name != "null") {
        _ if !options.is_empty() => ("select", "string"),
        Some(&"boolean") if nullable => ("select", "boolean"),
        Some(&"boolean") => ("checkbox", "boolean"),
        Some(&("integer" | "number")) => ("number", "number"),
        Some(&"string") => (text_control(name, text("format")), "string"),
        _ => ("json", "json"),
    };
    let number = |name: &str| {
        schema
            .get(name)
            .filter(|value| value.is_number())
            .map(Value::to_string)
    };
    let length = |name: &str| {
        schema
            .get(name)
            .and_then(Value::as_u64)
            .and_then(|length| usize::try_from(length).ok())
    };
    FormField {
        name: name.to_owned(),
        label: naming::words(name),
        help: text("description").replace('`', ""),
        control,
        json_type,
        is_required,
        nullable,
        options: if json_type == "boolean" {
            vec!["true".to_owned(), "false".to_owned()]
        } else {
            options
        },
        min: number("minimum").unwrap_or_default(),
        max: number("maximum").unwrap_or_default(),
        step: if types.contains(&"number") {
            "any".to_owned()
        } else {
            String::new()
        },
        min_length: length("minLength"),
        max_length: length("maxLength"),
        autocomplete: if control == "password" {
            "current-password"
        } else {
            "off"
        },
        is_wide: control == "json",
        ..FormField::default()
    }
}

/// Texts of an enum, also one that is described variant by variant.
fn choices(schema: &Value) -> Vec<String> {
    let direct = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let variants = schema
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let variants = variants.flat_map(|variant| {
        let several = variant
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        variant.get("const").into_iter().chain(several)
    });
    direct
        .chain(variants)
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn text_control(name: &str, format: &str) -> &'static str {
    match format {
        "date" => "date",
        "date-time" => "datetime-local",
        "password" => "password",
        _ if name.to_lowercase().contains("password") => "password",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_members_of_an_object_become_fields() {
        let schema = json!({
            "type": "object",
            "properties": {
                "email": {"type": "string"},
                "password": {"type": "string", "minLength": 8},
                "days": {"type": ["integer", "null"], "minimum": 1},
                "credential": {"$ref": "#/$defs/Wanted"},
                "options": {"type": "object"},
            },
            "required": ["email", "password"],
            "$defs": {"Wanted": {"oneOf": [{"const": "both"}, {"const": "session"}]}},
        });
        let fields = schema_fields(Some(&schema), true);
        let shown: Vec<_> = fields
            .iter()
            .map(|field| (field.name.as_str(), field.control, field.is_required))
            .collect();
        let expected = [
            ("email", "text", true),
            ("password", "password", true),
            ("days", "number", false),
            ("credential", "hidden", false),
            ("options", "json", false),
        ];
        assert_eq!(shown, expected);
        assert_eq!(fields[1].min_length, Some(8));
        assert_eq!(fields[3].value, "session");
        assert!(schema_fields(Some(&json!(true)), false).is_empty());
    }
}
