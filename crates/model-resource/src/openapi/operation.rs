//! Operations: the actions of an api.

use model_resource_schema::naming;
use serde_json::{Value, json};

use crate::description::ActionDescription;
use crate::idempotency::REQUIRE_IDEMPOTENCY_KEY;
use crate::openapi::errors::{ErrorResponses, is_about_version, is_write};
use crate::openapi::json_writer::{JsonArrayWriter, JsonObjectWriter};
use crate::openapi::objects::ObjectSchemas;
use crate::openapi::operation_id::{OperationIds, pascal_case};
use crate::openapi::responses::ResponseWriter;
use crate::openapi::security::SecuritySchemes;
use crate::openapi::shared_parts::SharedParts;
use crate::openapi::{content, handler, list_parameters, path};
use crate::routing::Operation;
use crate::upsert::MERGE_DUPLICATES;

/// Writer of the operations of a document.
pub(super) struct OperationWriter<'d> {
    ids: &'d OperationIds,
    prefix: &'d str,
    security: &'d SecuritySchemes,
    errors: ErrorResponses,
}

impl<'d> OperationWriter<'d> {
    pub(super) fn new(ids: &'d OperationIds, prefix: &'d str, security: &'d SecuritySchemes) -> Self {
        Self {
            ids,
            prefix,
            security,
            errors: ErrorResponses::new(security.has_callers()),
        }
    }

    /// Writes the members of an action's operation.
    pub(super) fn write<'a>(
        &mut self,
        action: &'a ActionDescription,
        objects: &mut ObjectSchemas<'a>,
        shared: &mut SharedParts,
        operation: &mut JsonObjectWriter<'_>,
    ) {
        operation.member("tags", &[tag(action, self.prefix)]);
        operation.member("summary", &action.summary);
        operation.member("description", &description(action));
        if let Some(id) = self.ids.get(action) {
            operation.member("operationId", id);
        }
        let handler = action.handler.as_deref();
        if let Some(handler) = handler {
            objects.define(&handler.definitions);
        }
        operation.array("parameters", |parameters| {
            write_parameters(action, shared, parameters);
            for parameter in handler
                .into_iter()
                .flat_map(|handler| handler::query(handler, objects))
            {
                parameters.item(&parameter);
            }
        });
        match &action.request {
            Some(body) => content::write_request(action, body, objects, operation),
            None => {
                if let Some(body) = handler.and_then(|handler| handler::request(handler, objects)) {
                    operation.member("requestBody", &body);
                }
            }
        }
        operation.object("responses", |responses| {
            let others = ResponseWriter::new(action, shared, responses).write(action, objects);
            self.errors.write(action, &others, shared, responses);
        });
        if let Some(requirement) = self.security.requirement(action) {
            operation.member("security", &requirement);
        }
    }
}

/// Tag of an action: the plural of its model, or for a view the first segment of its URL.
pub(super) fn tag(action: &ActionDescription, prefix: &str) -> String {
    match action.model {
        Some(model) => naming::plural(&naming::label(model)),
        None => match first_segment(action, prefix) {
            "/" => "Views".to_owned(),
            segment => pascal_case(segment),
        },
    }
}

/// First segment of an action's URL below the prefix; `/` if it is a parameter.
pub(super) fn first_segment<'a>(action: &'a ActionDescription, prefix: &str) -> &'a str {
    let url = action.route.url.strip_prefix(prefix).unwrap_or(&action.route.url);
    let mut segments = url.split('/').filter(|segment| !segment.is_empty());
    let first = segments.next().filter(|segment| !segment.contains('<'));
    first.unwrap_or("/")
}

/// Effect of an operation.
fn description(action: &ActionDescription) -> String {
    let many = match (action.max_bulk, action.route.operation) {
        (Some(max), Some(Operation::Create)) => {
            format!(" An array creates up to {max} objects: all of them or none.")
        }
        (Some(max), _) if action.route.filtered => format!(
            " Writes the objects that the filters of the query select, which are those of the list: at most as many as the \
             preference `max-affected` says, and {max}. All of them are written, or none."
        ),
        (Some(max), _) => format!(" Up to {max} objects at once: all of them are written, or none."),
        (None, _) => String::new(),
    };
    let what = match action.route.operation {
        None if action.restores => "Restores a deleted object.".to_owned(),
        None if action.description.is_empty() => action.summary.clone(),
        None => String::new(),
        Some(Operation::List) => list_description(action),
        Some(Operation::Create) => "Creates an object. Unknown fields are rejected.".to_owned(),
        Some(Operation::Get) => "Returns one object.".to_owned(),
        Some(Operation::Put) => {
            "Replaces the fields of an object; those that are left out get their defaults.".to_owned()
        }
        Some(Operation::Patch) => "Changes the fields of an object that the body has.".to_owned(),
        Some(Operation::Delete) if action.soft_delete => {
            "Deletes an object. It stays in the database.".to_owned()
        }
        Some(Operation::Delete) => "Deletes an object.".to_owned(),
    };
    let what = what + &many;
    match action.description.as_str() {
        "" => what,
        own if what.is_empty() => own.to_owned(),
        own => format!("{own}\n\n{what}"),
    }
}

fn list_description(action: &ActionDescription) -> String {
    let Some(list) = action.list.as_ref().filter(|list| !list.filters.is_empty()) else {
        return "Returns objects.".to_owned();
    };
    let size = match (list.page_size, list.max_rows) {
        (Some(size), _) => format!("Without a page, the first {size} objects are returned."),
        (None, Some(max)) => format!("Without a page, at most {max} objects are returned."),
        (None, None) => "Without a page, all objects are returned.".to_owned(),
    };
    format!(
        "Returns the objects that match all filters: `field=value` or `field[operator]=value`, and `relation.field` for \
         related objects. Ask for a page by `page` and `pageSize`, by `limit` and `offset`, or by `cursor` and `limit`. {size}"
    )
}

fn write_parameters(
    action: &ActionDescription,
    shared: &mut SharedParts,
    parameters: &mut JsonArrayWriter<'_>,
) {
    for parameter in path::parameters(action) {
        parameters.item(&parameter);
    }
    if is_about_version(action) {
        parameters.item(&shared.parameter("If-Match", if_match));
    }
    if is_write(action) {
        let is_required = action.route.decorators.contains(&REQUIRE_IDEMPOTENCY_KEY);
        parameters.item(&if is_required {
            shared.parameter("Required-Idempotency-Key", required_key)
        } else {
            shared.parameter("Idempotency-Key", optional_key)
        });
    }
    match (action.route.operation, &action.list, &action.response) {
        (Some(Operation::List), Some(list), Some(object)) => {
            parameters.item(&shared.parameter("If-None-Match", if_none_match));
            list_parameters::write_of_list(action, list, object, shared, parameters);
        }
        (Some(Operation::Get), _, Some(object)) => {
            parameters.item(&shared.parameter("If-None-Match", if_none_match));
            list_parameters::write_of_object(object, parameters);
        }
        (Some(Operation::Delete), ..) => {
            if let Some(keys) = bulk_keys(action) {
                parameters.item(&keys);
            }
        }
        _ => {}
    }
    if action.route.filtered {
        let prefer = if action.route.bulk {
            shared.parameter("Prefer-Max-Affected", prefer_max_affected)
        } else {
            shared.parameter("Required-Max-Affected", require_max_affected)
        };
        return parameters.item(&prefer);
    }
    match action.route.operation {
        Some(Operation::Delete) => parameters.item(&shared.parameter("Prefer-Deleted", prefer_deleted)),
        Some(Operation::Put | Operation::Patch) => {
            parameters.item(&shared.parameter("Prefer", prefer));
        }
        Some(Operation::List | Operation::Get) => {}
        Some(Operation::Create) if action.route.decorators.contains(&MERGE_DUPLICATES) => {
            parameters.item(&shared.parameter("Prefer-Merge", prefer_merge));
        }
        Some(Operation::Create) | None if is_write(action) => {
            parameters.item(&shared.parameter("Prefer-Dry-Run", prefer_dry_run));
        }
        Some(Operation::Create) | None => {}
    }
}

/// Query parameter with the keys of the objects that a request deletes.
fn bulk_keys(action: &ActionDescription) -> Option<Value> {
    let (key, max) = (action.bulk_key.as_ref()?, action.max_bulk?);
    let is_required = !action.route.filtered;
    Some(json!({
        "name": key,
        "in": "query",
        "required": is_required,
        "description": "Keys of the objects, repeated.",
        "style": "form",
        "explode": true,
        "schema": {"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 1, "maxItems": max},
    }))
}

/// Header parameter with the key of a request that must have one.
fn required_key(_: &str) -> Value {
    idempotency_key(true)
}

/// Header parameter with the key of a request that may have one.
fn optional_key(_: &str) -> Value {
    idempotency_key(false)
}

fn idempotency_key(is_required: bool) -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": is_required,
        "description": "Key of the request, such as a UUID: if it is repeated with the same key, the response is the same, and nothing is written.",
        "schema": {"type": "string", "pattern": "^[!-~]{1,64}$", "minLength": 1, "maxLength": 64},
    })
}

/// Header parameter with the version that a request is about.
fn if_match(name: &str) -> Value {
    let description = "`ETag` of the version that the request is about; if the object has another one, the response is 412.";
    json!({"name": name, "in": "header", "description": description, "schema": {"type": "string"}})
}

/// Header parameter with the version that a client has.
fn if_none_match(name: &str) -> Value {
    let description = "`ETag` of what the client has; if it is still the same, the response is 304.";
    json!({"name": name, "in": "header", "description": description, "schema": {"type": "string"}})
}

/// Header parameter by which a client asks for the deleted object.
fn prefer_deleted(_: &str) -> Value {
    json!({
        "name": "Prefer",
        "in": "header",
        "description": "`return=representation` returns the deleted object. `dry-run` checks the request and writes nothing.",
        "schema": {"type": "string", "examples": ["return=representation", "dry-run"]},
    })
}

/// Header parameter by which a client asks for no object.
fn prefer(_: &str) -> Value {
    json!({
        "name": "Prefer",
        "in": "header",
        "description": "`return=minimal` returns no object. `dry-run` checks the request and writes nothing.",
        "schema": {"type": "string", "examples": ["return=minimal", "dry-run"]},
    })
}

/// Header parameter with the maximum number of objects that a request may write, if filters select them.
fn prefer_max_affected(_: &str) -> Value {
    max_affected(false)
}

/// Header parameter with the maximum number of objects that filters may select.
fn require_max_affected(_: &str) -> Value {
    max_affected(true)
}

fn max_affected(is_required: bool) -> Value {
    json!({
        "name": "Prefer",
        "in": "header",
        "required": is_required,
        "description": "`max-affected=N` is required with filters: if they select more objects, nothing is written. `return` and `dry-run` can be added.",
        "schema": {"type": "string", "examples": ["max-affected=10", "max-affected=10, dry-run"]},
    })
}

/// Header parameter by which a client asks for the change of an object that exists.
fn prefer_merge(_: &str) -> Value {
    json!({
        "name": "Prefer",
        "in": "header",
        "description": "`resolution=merge-duplicates` changes the object that has the unique values of the new one. `dry-run` checks the request and writes nothing.",
        "schema": {"type": "string", "examples": ["resolution=merge-duplicates", "dry-run"]},
    })
}

/// Header parameter by which a client asks a view to write nothing.
fn prefer_dry_run(_: &str) -> Value {
    json!({
        "name": "Prefer",
        "in": "header",
        "description": "`dry-run` checks the request and writes nothing.",
        "schema": {"type": "string"},
    })
}
