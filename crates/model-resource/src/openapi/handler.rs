//! Bodies, parameters and responses that the types of a handler tell: of views, and of custom operations.

use serde_json::{Map, Value, json};

use crate::description::{ActionDescription, HandlerSchemas, ReplySchema};
use crate::openapi::json::{JSON, object, schema_reference};
use crate::openapi::objects::ObjectSchemas;
use crate::openapi::shared_parts::SharedParts;

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

/// Content of a successful response, if its type tells it; empty for a response without a body.
pub(super) fn content(
    action: &ActionDescription,
    handler: &HandlerSchemas,
    objects: &mut ObjectSchemas<'_>,
) -> Option<Map<String, Value>> {
    let json_content = |schema: Value| object(json!({JSON: {"schema": schema}}));
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
        ReplySchema::Text => object(json!({"text/plain": {"schema": {"type": "string"}}})),
        ReplySchema::Empty => Map::new(),
    })
}

/// Adds the responses that the attribute of a handler names.
pub(super) fn add_responses(
    handler: &HandlerSchemas,
    shared: &mut SharedParts,
    responses: &mut Map<String, Value>,
) {
    for named in &handler.responses {
        let mut response = object(json!({"description": named.description, "headers": shared.headers(&[])}));
        if named.status >= 400 {
            let message = schema_reference("ErrorMessage");
            let problem = schema_reference("Problem");
            let content = json!({JSON: {"schema": message}, "application/problem+json": {"schema": problem}});
            response.insert("content".to_owned(), content);
        }
        responses.insert(named.status.to_string(), response.into());
    }
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
