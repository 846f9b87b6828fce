//! Request bodies and successful responses of an action.

use model_resource_schema::serializer::{Envelope, ObjectSchema};
use serde_json::{Map, Value, json};

use crate::description::ActionDescription;
use crate::openapi::handler;
use crate::openapi::json::{JSON, members_of, object, schema_reference};
use crate::openapi::objects::{ObjectSchemas, OutputNames};
use crate::openapi::shared_parts::SharedParts;
use crate::routing::Operation;

const CSV: &str = "text/csv";
const NDJSON: &str = "application/x-ndjson";

/// Number of objects that a body or a response has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Amount {
    One,
    Many,
    OneOrMany,
}

/// Request body of an action that loads an object.
pub(super) fn request(
    action: &ActionDescription,
    body: &ObjectSchema,
    objects: &mut ObjectSchemas<'_>,
) -> Value {
    let schema = schema_reference(&objects.request(action, body));
    let amount = amount(action);
    let many = || {
        let mut many = object(json!({"type": "array", "items": schema, "minItems": 1}));
        if let Some(max) = action.max_bulk {
            many.insert("maxItems".to_owned(), max.into());
        }
        enveloped(body.envelope.as_ref(), |envelope| &envelope.many, many.into())
    };
    let one = || enveloped(body.envelope.as_ref(), |envelope| &envelope.one, schema.clone());
    let json_schema = match amount {
        Amount::One => one(),
        Amount::Many => many(),
        Amount::OneOrMany => json!({"oneOf": [one(), many()]}),
    };
    let mut content = object(json!({JSON: {"schema": json_schema}}));
    if amount != Amount::One {
        content.insert(
            CSV.to_owned(),
            file("Objects as lines, after a line with the names of the fields."),
        );
        content.insert(NDJSON.to_owned(), file("Objects as lines of JSON."));
    }
    json!({"required": true, "content": content})
}

/// Adds the successful responses of an action.
pub(super) fn add_responses(
    action: &ActionDescription,
    objects: &mut ObjectSchemas<'_>,
    shared: &mut SharedParts,
    responses: &mut Map<String, Value>,
) {
    let handler = action.handler.as_deref();
    let returned = handler.and_then(|handler| handler::content(action, handler, objects));
    let Some(operation) = action.route.operation else {
        add_view_responses(action, returned, shared, responses);
        return;
    };
    let shown = action.response.as_ref();
    let content = shown.map(|shown| {
        let names = objects.response(action, shown);
        let selects = matches!(operation, Operation::Get | Operation::List);
        content(action, shown, &names, selects)
    });
    // The type of a custom operation tells more than its serializer.
    let content = returned.or(content).unwrap_or_default();
    match operation {
        Operation::List => {
            let page = &["Link", "X-Total-Count", "Content-Range"];
            let whole = "The objects, or the page that was asked for.";
            responses.insert("200".to_owned(), response(whole, page, &content, shared));
            let part = "Fewer objects than were asked for; `Link` leads to the rest.";
            responses.insert("206".to_owned(), response(part, page, &content, shared));
        }
        Operation::Get => {
            responses.insert("200".to_owned(), response("The object.", &[], &content, shared));
        }
        Operation::Create => {
            let created = response("The new object.", &["Location"], &content, shared);
            responses.insert("201".to_owned(), created);
        }
        Operation::Put | Operation::Patch => {
            responses.insert(
                "200".to_owned(),
                response("The changed object.", &[], &content, shared),
            );
        }
        Operation::Delete => {
            let deleted = json!({"description": "Deleted.", "headers": shared.headers(&[])});
            responses.insert("204".to_owned(), deleted);
            let any = object_content(action, &json!({}));
            let shown = response(
                "The deleted object, if the client prefers it.",
                &["Preference-Applied"],
                &any,
                shared,
            );
            responses.insert("200".to_owned(), shown);
        }
    }
}

/// Adds the successful responses of a view.
fn add_view_responses(
    action: &ActionDescription,
    returned: Option<Map<String, Value>>,
    shared: &mut SharedParts,
    responses: &mut Map<String, Value>,
) {
    let is_known = returned.is_some();
    let content = returned.unwrap_or_else(|| object_content(action, &json!({})));
    if !content.is_empty() {
        responses.insert(
            "200".to_owned(),
            response("Response of the view.", &[], &content, shared),
        );
    }
    if content.is_empty() || !is_known {
        let done = json!({"description": "Done.", "headers": shared.headers(&[])});
        responses.insert("204".to_owned(), done);
    }
}

/// Header parameter by which a client asks for the deleted object.
pub(super) fn prefer() -> Value {
    json!({
        "name": "Prefer",
        "in": "header",
        "description": "`return=representation` returns the deleted object.",
        "schema": {"type": "string", "examples": ["return=representation"]},
    })
}

fn response(
    description: &str,
    own: &[&'static str],
    content: &Map<String, Value>,
    shared: &mut SharedParts,
) -> Value {
    let members = [
        ("description", description.into()),
        ("headers", shared.headers(own).into()),
        ("content", content.clone().into()),
    ];
    members_of(members)
}

/// Content of a response with objects, by media type.
fn content(
    action: &ActionDescription,
    shown: &ObjectSchema,
    names: &OutputNames,
    selects: bool,
) -> Map<String, Value> {
    let complete = schema_reference(&names.complete);
    let one = if selects {
        json!({"anyOf": [complete, schema_reference(&names.selected)]})
    } else {
        complete
    };
    let envelope = shown.envelope.as_ref();
    let many = || {
        let list = json!({"type": "array", "items": one});
        enveloped(envelope, |envelope| &envelope.many, list)
    };
    let single = || enveloped(envelope, |envelope| &envelope.one, one.clone());
    let schema = match amount(action) {
        Amount::One => single(),
        Amount::Many => many(),
        Amount::OneOrMany => json!({"oneOf": [single(), many()]}),
    };
    object_content(action, &schema)
}

/// Content of a response with this schema in JSON. Other media types are texts, or of the application.
fn object_content(action: &ActionDescription, schema: &Value) -> Map<String, Value> {
    let described = action.media_types.iter().map(|media_type| {
        let content = match media_type.as_str() {
            JSON => json!({"schema": schema}),
            CSV => file("Objects as lines, after a line with the names of the members."),
            NDJSON => file("Objects as lines of JSON."),
            _ => json!({}),
        };
        (media_type.clone(), content)
    });
    described.collect()
}

fn file(description: &str) -> Value {
    json!({"schema": {"type": "string", "minLength": 1, "description": description}})
}

fn amount(action: &ActionDescription) -> Amount {
    match action.route.operation {
        Some(Operation::List) => Amount::Many,
        Some(Operation::Create) if action.route.bulk => Amount::OneOrMany,
        Some(_) if action.route.bulk => Amount::Many,
        _ => Amount::One,
    }
}

/// Puts a schema into an envelope, if there is one.
fn enveloped(envelope: Option<&Envelope>, key: fn(&Envelope) -> &String, schema: Value) -> Value {
    let Some(envelope) = envelope else {
        return schema;
    };
    let key = key(envelope);
    json!({
        "type": "object",
        "properties": {key: schema},
        "required": [key],
        "additionalProperties": false,
    })
}
