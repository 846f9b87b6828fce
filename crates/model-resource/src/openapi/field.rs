//! Schemas of the fields of objects.

use model_resource_schema::constraints::FieldConstraints;
use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{InputSchema, PresetSource};
use serde_json::{Map, Value, json};

use crate::openapi::data_type::{input_schema_of, json_value, or_null, schema_of};
use crate::openapi::example::{example, plain_example};
use crate::openapi::pattern::ecma_pattern;

/// Schema of an input field.
pub(super) fn input(field: &InputSchema) -> Value {
    let mut schema = input_schema_of(field.data_type);
    let mut notes = Vec::new();
    constrain(&mut schema, field.data_type, &field.constraints, &mut notes);
    if let Some(example) = example(&field.name, field.data_type, &field.constraints) {
        schema.insert("examples".to_owned(), json!([example]));
    }
    if let Some(default) = field.default.and_then(|text| json_value(field.data_type, text)) {
        schema.insert("default".to_owned(), default);
    }
    if field.nullable {
        schema = or_null(schema);
    }
    notes.extend(field.references.map(key_of));
    notes.extend(field.preset.map(|source| match source {
        PresetSource::Url => "Set by the URL; may be left out.".to_owned(),
        PresetSource::Policy => "Set by the server; may be left out.".to_owned(),
    }));
    if field.is_unique {
        notes.push("No two objects have the same value.".to_owned());
    }
    let values = about_values(field.data_type, field.value_descriptions);
    let own = std::iter::once(field.description.to_owned());
    describe(&mut schema, own.chain(notes).chain(values));
    Value::Object(schema)
}

/// Schema of a column in responses.
pub(super) fn output(data_type: DataType, nullable: bool, references: Option<&str>) -> Map<String, Value> {
    let mut schema = schema_of(data_type);
    schema.insert("examples".to_owned(), json!([plain_example(data_type)]));
    if nullable {
        schema = or_null(schema);
    }
    describe(&mut schema, references.map(key_of));
    schema
}

/// Notes about the values of an enum: those with a description.
pub(super) fn about_values(data_type: DataType, descriptions: &[&str]) -> Option<String> {
    let DataType::Enum(names) = data_type else {
        return None;
    };
    let described = names
        .iter()
        .zip(descriptions)
        .filter(|(_, text)| !text.is_empty());
    let lines: Vec<String> = described
        .map(|(name, text)| format!("- `{name}`: {text}"))
        .collect();
    (!lines.is_empty()).then(|| format!("\n\n{}", lines.join("\n")))
}

fn key_of(model: &str) -> String {
    format!("Key of {}.", with_article(model))
}

/// Appends texts to the description of a schema.
pub(super) fn describe(schema: &mut Map<String, Value>, texts: impl IntoIterator<Item = String>) {
    let known = schema.get("description").and_then(Value::as_str);
    let mut description = known.unwrap_or_default().to_owned();
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        if !description.is_empty() && !text.starts_with('\n') {
            description.push(' ');
        }
        description.push_str(&text);
    }
    if !description.is_empty() {
        schema.insert("description".to_owned(), description.into());
    }
}

/// Name of a model with its article: `an Article`.
pub(super) fn with_article(name: &str) -> String {
    let is_vowel = name.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u']);
    let article = if is_vowel { "an" } else { "a" };
    format!("{article} {name}")
}

/// Adds the constraints of a field, as keywords or, if JSON Schema has none for them, as notes.
fn constrain(
    schema: &mut Map<String, Value>,
    data_type: DataType,
    constraints: &FieldConstraints,
    notes: &mut Vec<String>,
) {
    let mut set = |keyword: &str, value: Value| schema.insert(keyword.to_owned(), value);
    let is_number = matches!(
        data_type,
        DataType::I16 | DataType::I32 | DataType::I64 | DataType::F32 | DataType::F64
    );
    for (keyword, length) in [
        ("minLength", constraints.min_length),
        ("maxLength", constraints.max_length),
    ] {
        match length {
            // Of bytes, base64 has four characters for each three.
            Some(length) if data_type == DataType::Bytes => {
                set(keyword, (length.div_ceil(3) * 4).into());
            }
            Some(length) => {
                set(keyword, length.into());
            }
            None => {}
        }
    }
    for (keyword, word, bound) in [
        ("minimum", "at least", &constraints.min),
        ("maximum", "at most", &constraints.max),
    ] {
        match bound {
            Some(bound) if is_number => {
                set(keyword, json_value(data_type, bound).unwrap_or_default());
            }
            Some(bound) => notes.push(format!("Must be {word} {bound}.")),
            None => {}
        }
    }
    if let Some(pattern) = constraints.pattern {
        match ecma_pattern(pattern) {
            Some(pattern) => {
                set("pattern", pattern.into());
            }
            None => notes.push(format!("Must match the regular expression `{pattern}`.")),
        }
    }
    if !constraints.choices.is_empty() {
        set("enum", json!(constraints.choices));
    }
    if constraints.is_email {
        set("format", "email".into());
    }
}
