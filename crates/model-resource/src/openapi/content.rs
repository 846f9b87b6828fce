//! Content of bodies and responses with objects, by media type. Every operation has some, so it is written as text.

use model_resource_schema::serializer::{Envelope, ObjectSchema};
use serde::Serialize;
use serde_json::json;

use crate::description::{ActionDescription, GroupValueDescription};
use crate::openapi::groups;
use crate::openapi::json::{JSON, Reference};
use crate::openapi::json_writer::{JsonObjectWriter, text};
use crate::openapi::objects::ObjectSchemas;
use crate::routing::Operation;

const CSV: &str = "text/csv";
const NDJSON: &str = "application/x-ndjson";
const MERGE_PATCH: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";

/// Content of a response without a body.
pub(super) const EMPTY: &[u8] = b"{}";

/// Writes the request body of an action that loads an object.
pub(super) fn write_request<'d>(
    action: &'d ActionDescription,
    body: &'d ObjectSchema,
    objects: &mut ObjectSchemas<'d>,
    operation: &mut JsonObjectWriter<'_>,
) {
    let name = objects.request(action, body);
    let schema = ContentSchema {
        amount: Amount::of_request(action),
        envelope: body.envelope.as_ref(),
        object: text(&Reference::new("schemas", &name)),
        // The object of a filtered write has no key, unlike those of a list.
        lone: (action.route.filtered && action.route.bulk).then(|| text(&json!({"type": "object"}))),
        min_items: Some(1),
        max_items: action.max_bulk,
    };
    let is_patch = action.route.operation == Some(Operation::Patch)
        && schema.amount == Amount::One
        && !action.route.filtered;
    let json_patch = is_patch.then(|| objects.json_patch());
    operation.object("requestBody", |body| {
        body.member("required", &true);
        body.object("content", |content| {
            content.object(JSON, |json| json.with("schema", |out| schema.append(out)));
            if let Some(json_patch) = &json_patch {
                content.object(MERGE_PATCH, |merge| {
                    merge.with("schema", |out| schema.append(out));
                });
                content.object(JSON_PATCH, |patch| patch.member("schema", json_patch));
            }
            if schema.amount != Amount::One {
                if cfg!(feature = "csv") {
                    let about = "Objects as lines, after a line with the names of the fields.";
                    content.object(CSV, |csv| write_text_schema(about, csv));
                }
                content.object(NDJSON, |lines| {
                    write_text_schema("Objects as lines of JSON.", lines);
                });
            }
        });
    });
}

/// Content of a response with the objects of an action.
pub(super) fn of_response<'d>(action: &'d ActionDescription, objects: &mut ObjectSchemas<'d>) -> Vec<u8> {
    let Some(shown) = &action.response else {
        return EMPTY.to_vec();
    };
    let names = objects.response(action, shown);
    let complete = Reference::new("schemas", &names.complete);
    let selected = Reference::new("schemas", &names.selected);
    let selects = matches!(action.route.operation, Some(Operation::Get | Operation::List));
    let schema = ContentSchema {
        amount: Amount::of(action),
        envelope: shown.envelope.as_ref(),
        object: if selects {
            text(&AnyOf {
                any_of: [complete, selected],
            })
        } else {
            text(&complete)
        },
        lone: None,
        min_items: None,
        max_items: None,
    };
    match groups_of(action) {
        [] => of_schema(action, |out| schema.append(out)),
        groups => {
            let groups = text(&groups::schema(groups));
            of_schema(action, |out| append_either(&schema, &groups, out))
        }
    }
}

/// Values of the groups that the response of a list may have instead of objects.
fn groups_of(action: &ActionDescription) -> &[GroupValueDescription] {
    action.list.as_ref().map_or(&[], |list| list.groups.as_slice())
}

/// Appends the schema of objects or groups. An empty array is both.
fn append_either(objects: &ContentSchema<'_>, groups: &[u8], out: &mut Vec<u8>) {
    let mut schema = JsonObjectWriter::new(out);
    schema.array("anyOf", |either| {
        either.with(|out| objects.append(out));
        either.with(|out| out.extend_from_slice(groups));
    });
    schema.end();
}

/// Content of a response with any JSON.
pub(super) fn of_any(action: &ActionDescription) -> Vec<u8> {
    of_schema(action, |out| out.extend_from_slice(b"{}"))
}

/// Content of a response with this schema in JSON. Other media types are texts, or of the application.
fn of_schema(action: &ActionDescription, schema: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut content = JsonObjectWriter::new(&mut out);
    for media_type in &action.media_types {
        content.object(media_type, |described| match media_type.as_str() {
            JSON => described.with("schema", &schema),
            CSV => {
                let about = "Objects as lines, after a line with the names of the members.";
                write_text_schema(about, described);
            }
            NDJSON => write_text_schema("Objects as lines of JSON.", described),
            _ => {}
        });
    }
    content.end();
    out
}

fn write_text_schema(description: &str, content: &mut JsonObjectWriter<'_>) {
    content.object("schema", |schema| {
        schema.member("type", "string");
        schema.member("minLength", &1);
        schema.member("description", description);
    });
}

/// Number of objects that a body or a response has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Amount {
    One,
    Many,
    OneOrMany,
}

impl Amount {
    fn of(action: &ActionDescription) -> Self {
        match action.route.operation {
            Some(Operation::List) => Self::Many,
            Some(Operation::Create) if action.route.bulk => Self::OneOrMany,
            Some(_) if action.route.bulk || action.route.filtered => Self::Many,
            _ => Self::One,
        }
    }

    /// Number of objects of a body: filtered writes have one for all.
    fn of_request(action: &ActionDescription) -> Self {
        match (action.route.filtered, action.route.bulk) {
            (true, true) => Self::OneOrMany,
            (true, false) => Self::One,
            (false, _) => Self::of(action),
        }
    }
}

/// Schema of one object or several, in their envelope.
struct ContentSchema<'s> {
    amount: Amount,
    envelope: Option<&'s Envelope>,
    /// Text of the schema of an object.
    object: Vec<u8>,
    /// Text of the schema of an object that is not in a list, if that is another one.
    lone: Option<Vec<u8>>,
    min_items: Option<usize>,
    max_items: Option<usize>,
}

impl ContentSchema<'_> {
    fn append(&self, out: &mut Vec<u8>) {
        match self.amount {
            Amount::One => self.append_one(out),
            Amount::Many => self.append_many(out),
            Amount::OneOrMany => {
                let mut schema = JsonObjectWriter::new(out);
                schema.array("oneOf", |either| {
                    either.with(|out| self.append_one(out));
                    either.with(|out| self.append_many(out));
                });
                schema.end();
            }
        }
    }

    fn append_one(&self, out: &mut Vec<u8>) {
        let key = self.envelope.map(|envelope| envelope.one.as_str());
        let object = self.lone.as_ref().unwrap_or(&self.object);
        append_enveloped(key, |out| out.extend_from_slice(object), out);
    }

    fn append_many(&self, out: &mut Vec<u8>) {
        let key = self.envelope.map(|envelope| envelope.many.as_str());
        let many = |out: &mut Vec<u8>| {
            let mut schema = JsonObjectWriter::new(out);
            schema.member("type", "array");
            schema.with("items", |out| out.extend_from_slice(&self.object));
            for (keyword, limit) in [("minItems", self.min_items), ("maxItems", self.max_items)] {
                if let Some(limit) = limit {
                    schema.member(keyword, &limit);
                }
            }
            schema.end();
        };
        append_enveloped(key, many, out);
    }
}

/// Schema of values that match one of two schemas, or both.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnyOf<'n> {
    any_of: [Reference<'n>; 2],
}

/// Appends a schema in an envelope with this key, if there is one.
fn append_enveloped(key: Option<&str>, schema: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
    let Some(key) = key else {
        return schema(out);
    };
    let mut envelope = JsonObjectWriter::new(out);
    envelope.member("type", "object");
    envelope.object("properties", |properties| properties.with(key, schema));
    envelope.member("required", &[key]);
    envelope.member("additionalProperties", &false);
    envelope.end();
}
