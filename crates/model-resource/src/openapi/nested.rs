//! Schemas of related objects that are written with their parent.

use model_resource_schema::serializer::{InputSchema, NestedObjects, NestedSchema, NestedValue, WriteMode};
use serde_json::{Map, Value, json};

use crate::openapi::field;

/// Schema of a relation in a body.
pub(super) fn schema(nested: &NestedSchema, mode: WriteMode) -> Value {
    let mut schema = match &nested.value {
        NestedValue::Objects(objects) => of_objects(objects, mode),
        NestedValue::Links(value) => of_links(value, mode),
        _ => json!({}),
    };
    if !nested.description.is_empty() {
        schema["description"] = nested.description.into();
    }
    schema
}

/// Schema of a list of values that name objects.
fn of_links(value: &InputSchema, mode: WriteMode) -> Value {
    let list = json!({"type": "array", "items": field::input(value, true)});
    if mode != WriteMode::Update {
        return list;
    }
    let changes = json!({"add": list, "remove": list});
    json!({"anyOf": [list, {"type": "object", "properties": changes, "additionalProperties": false}]})
}

/// Schema of a list of objects.
fn of_objects(nested: &NestedObjects, mode: WriteMode) -> Value {
    let create = object(&nested.create, false);
    let list = match mode {
        WriteMode::Create => json!({"type": "array", "items": create}),
        WriteMode::Replace | WriteMode::Update => {
            json!({"type": "array", "items": {"anyOf": [object(&nested.replace, false), create]}})
        }
    };
    match mode {
        WriteMode::Create | WriteMode::Replace => list,
        WriteMode::Update => {
            let keys = nested.update.iter().find(|field| field.is_required);
            let keys = keys.map(|field| field::input(field, true));
            let changes = json!({
                "add": {"type": "array", "items": create},
                "update": {"type": "array", "items": object(&nested.update, true)},
                "remove": {"type": "array", "items": keys},
            });
            let changes = json!({"type": "object", "properties": changes, "additionalProperties": false});
            json!({"anyOf": [list, changes]})
        }
    }
}

/// Schema of one related object.
fn object(fields: &[InputSchema], is_change: bool) -> Value {
    let property = |field: &InputSchema| (field.name.clone(), json!(field::input(field, is_change)));
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let required = fields.iter().filter(|field| field.is_required);
    let required: Vec<&str> = required.map(|field| field.name.as_str()).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}
