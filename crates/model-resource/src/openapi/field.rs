//! Schemas of the fields of objects.

use model_resource_schema::constraints::FieldConstraints;
use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{InputSchema, PresetSource};
use model_resource_schema::transitions::Transitions;
use serde_json::Value;

use crate::openapi::data_type::{accept_null, input_schema_of, json_value, schema_of};
use crate::openapi::example::{example, plain_example};
use crate::openapi::keywords::SchemaKeywords;
use crate::openapi::pattern::ecma_pattern;

/// Schema of an input field, as one that may be left out. A change has no default: it leaves fields alone that it does
/// not have.
pub(super) fn input(field: &InputSchema, is_change: bool) -> SchemaKeywords {
    let mut schema = input_schema_of(field.data_type);
    let mut notes = Vec::new();
    constrain(&mut schema, field.data_type, &field.constraints, &mut notes);
    if let Some(example) = example(&field.name, field.data_type, &field.constraints) {
        schema.set("examples", vec![example]);
    }
    let default = field.default.filter(|_| !is_change);
    if let Some(default) = default.and_then(|text| json_value(field.data_type, text)) {
        schema.set("default", default);
    }
    if field.nullable {
        accept_null(&mut schema);
    }
    notes.extend(field.references.map(key_of));
    notes.extend(field.preset.map(|source| match source {
        PresetSource::Url => "Set by the URL; may be left out.".to_owned(),
        PresetSource::Policy => "Set by the server; may be left out.".to_owned(),
    }));
    if field.is_unique {
        notes.push("No two objects have the same value.".to_owned());
    }
    notes.extend(about_values(field.data_type, field.value_descriptions));
    notes.extend(about_transitions(field.transitions));
    let notes = notes.iter().map(String::as_str);
    if let Some(text) = sentences([field.description].into_iter().chain(notes)) {
        schema.set("description", text);
    }
    schema
}

/// Schema of a column in responses, without a description.
pub(super) fn output(data_type: DataType, nullable: bool) -> SchemaKeywords {
    let mut schema = schema_of(data_type);
    schema.set("examples", vec![plain_example(data_type)]);
    if nullable {
        accept_null(&mut schema);
    }
    schema
}

/// Schema of values of related objects in responses; null if there is no related object.
pub(super) fn related_values(data_type: DataType, nullable: bool, is_many: bool) -> SchemaKeywords {
    if is_many {
        let items = Value::from(output(data_type, nullable));
        SchemaKeywords::of_type("array").with("items", items)
    } else {
        output(data_type, true)
    }
}

/// Note about the keys of related objects.
pub(super) fn keys_of(model: &str, is_many: bool) -> String {
    if is_many {
        format!("Keys of {model} objects.")
    } else {
        key_of(model)
    }
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

/// Notes about the changes that an enum allows, as a paragraph.
fn about_transitions(transitions: Transitions) -> Option<String> {
    if transitions.is_any() {
        return None;
    }
    let listed = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(" or ")
    };
    let mut sources: Vec<&str> = Vec::new();
    for (from, _) in transitions.steps {
        if !sources.contains(from) {
            sources.push(from);
        }
    }
    let steps = sources
        .iter()
        .map(|from| format!("- `{from}` to {}", listed(&transitions.after(from))));
    let steps: Vec<String> = steps.collect();
    let initial = match transitions.initial {
        [] => String::new(),
        names => format!("New objects have {}. ", listed(names)),
    };
    Some(format!(
        "\n\n{initial}The allowed changes are:\n\n{}",
        steps.join("\n")
    ))
}

/// Note about a foreign key.
pub(super) fn key_of(model: &str) -> String {
    format!("Key of {}.", with_article(model))
}

/// Texts as one description; `None` if all are empty. A text that begins with a line break is a paragraph of its own.
pub(super) fn sentences<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<String> {
    let mut description = String::new();
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        if !description.is_empty() && !text.starts_with('\n') {
            description.push(' ');
        }
        description.push_str(text);
    }
    (!description.is_empty()).then_some(description)
}

/// Name of a model with its article: `an Article`.
pub(super) fn with_article(name: &str) -> String {
    let is_vowel = name.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u']);
    let article = if is_vowel { "an" } else { "a" };
    format!("{article} {name}")
}

/// Adds the constraints of a field, as keywords or, if JSON Schema has none for them, as notes.
fn constrain(
    schema: &mut SchemaKeywords,
    data_type: DataType,
    constraints: &FieldConstraints,
    notes: &mut Vec<String>,
) {
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
                schema.set(keyword, length.div_ceil(3) * 4);
            }
            Some(length) => {
                schema.set(keyword, length);
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
                schema.set(keyword, json_value(data_type, bound).unwrap_or_default());
            }
            Some(bound) => notes.push(format!("Must be {word} {bound}.")),
            None => {}
        }
    }
    if let Some(pattern) = constraints.pattern {
        match ecma_pattern(pattern) {
            Some(pattern) => {
                schema.set("pattern", pattern);
            }
            None => notes.push(format!("Must match the regular expression `{pattern}`.")),
        }
    }
    if !constraints.choices.is_empty() {
        schema.set("enum", constraints.choices);
    }
    if constraints.is_email {
        schema.set("format", "email");
    }
}
