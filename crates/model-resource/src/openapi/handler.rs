//! Bodies, parameters and responses that the types of a handler tell: of views, and of custom operations.

use serde_json::{Value, json};

use crate::description::{ActionDescription, HandlerSchemas, ReplySchema};
use crate::openapi::content::EMPTY;
use crate::openapi::json::JSON;
use crate::openapi::json_writer::text;
use crate::openapi::objects::ObjectSchemas;

/// Request body of a view, if an argument reads one.
pub(super) fn request(handler: &HandlerSchemas, objects: &mut ObjectSchemas<'_>) -> Option<Value> {
    let schema = schema(handler.body.as_ref()?, objects);
    Some(json!({"required": true, "content": {JSON: {"schema": schema}}}))
}

/// Query parameters of a view, one for each member of the type that they are read into.
pub(super) fn query(handler: &HandlerSchemas, objects: &mut ObjectSchemas<'_>) -> Vec<Value> {
    let Some(query) = handler.query.as_ref().filter(|query| query.is_object()) else {
        return Vec::new();
    };
    let required = query["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let members = query["properties"].as_object().into_iter().flatten();
    let parameters = members.map(|(name, member)| {
        let schema = schema(member, objects);
        json!({"name": name, "in": "query", "required": is_required(name), "schema": schema})
    });
    parameters.collect()
}

/// Text of the content of a successful response, if its type tells it.
pub(super) fn content<'d>(
    action: &'d ActionDescription,
    handler: &HandlerSchemas,
    objects: &mut ObjectSchemas<'d>,
) -> Option<Vec<u8>> {
    let json_content = |schema: Value| text(&json!({JSON: {"schema": schema}}));
    Some(match handler.reply.as_ref()? {
        ReplySchema::Json(reply) => json_content(schema(reply, objects)),
        ReplySchema::ObjectWith(added) => {
            let added = schema(added, objects);
            json_content(objects.with_members(action, &added))
        }
        ReplySchema::Object(model) => json_content(objects.of_model(model)),
        ReplySchema::List(model) => {
            let items = objects.of_model(model);
            json_content(json!({"type": "array", "items": items}))
        }
        ReplySchema::Text => text(&json!({"text/plain": {"schema": {"type": "string"}}})),
        ReplySchema::Empty => EMPTY.to_vec(),
    })
}

/// Schema of a type, with references to the objects of models.
fn schema(schema: &Value, objects: &mut ObjectSchemas<'_>) -> Value {
    match schema {
        Value::Object(members) => match members.get("x-model").and_then(Value::as_str) {
            // The type of an `Option` also accepts null.
            Some(model) if members.get("type").is_some_and(Value::is_array) => {
                json!({"anyOf": [objects.of_model(model), {"type": "null"}]})
            }
            Some(model) => objects.of_model(model),
            None => {
                let members = members.iter();
                let members = members.map(|(name, member)| (name.clone(), self::schema(member, objects)));
                Value::Object(members.collect())
            }
        },
        Value::Array(items) => items.iter().map(|item| self::schema(item, objects)).collect(),
        other => other.clone(),
    }
}
