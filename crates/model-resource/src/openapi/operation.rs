//! Operations: the actions of an api.

use model_resource_schema::naming;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::description::ActionDescription;
use crate::openapi::objects::ObjectSchemas;
use crate::openapi::operation_id::{OperationIds, pascal_case};
use crate::openapi::parameter::OperationParameter;
use crate::openapi::security::SecuritySchemes;
use crate::openapi::shared_parts::SharedParts;
use crate::openapi::{bodies, errors, handler, list_parameters, path};
use crate::routing::Operation;

/// Data that all operations of a document share.
pub(super) struct OperationWriter<'d> {
    pub(super) ids: &'d OperationIds,
    pub(super) prefix: &'d str,
    pub(super) security: &'d SecuritySchemes,
}

/// Operation of a document.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OperationObject<'d> {
    tags: [String; 1],
    summary: &'d str,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation_id: Option<&'d str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<OperationParameter<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_body: Option<Value>,
    responses: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    security: Option<Value>,
}

impl<'d> OperationWriter<'d> {
    /// Operation of an action.
    pub(super) fn operation(
        &self,
        action: &'d ActionDescription,
        objects: &mut ObjectSchemas<'_>,
        shared: &mut SharedParts,
    ) -> OperationObject<'d> {
        let mut parameters = parameters(action, shared);
        let handler = action.handler.as_deref();
        if let Some(handler) = handler {
            objects.define(&handler.definitions);
            parameters.extend(
                handler::query(handler, objects)
                    .into_iter()
                    .map(OperationParameter::Other),
            );
        }
        let request_body = match &action.request {
            Some(body) => Some(bodies::request(action, body, objects)),
            None => handler.and_then(|handler| handler::request(handler, objects)),
        };
        let mut responses = Map::new();
        bodies::add_responses(action, objects, shared, &mut responses);
        errors::add_responses(action, self.security.has_callers(), shared, &mut responses);
        if let Some(handler) = handler {
            handler::add_responses(handler, shared, &mut responses);
        }
        OperationObject {
            tags: [tag(action, self.prefix)],
            summary: &action.summary,
            description: description(action),
            operation_id: self.ids.get(action),
            parameters,
            request_body,
            responses,
            security: self.security.requirement(action),
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
        (Some(max), _) => format!(" Up to {max} objects at once: all of them are written, or none."),
        (None, _) => String::new(),
    };
    let what = match action.route.operation {
        None if action.description.is_empty() => action.summary.clone(),
        None => String::new(),
        Some(Operation::List) => list_description(action),
        Some(Operation::Create) => "Creates an object. Unknown fields are rejected.".to_owned(),
        Some(Operation::Get) => "Returns one object.".to_owned(),
        Some(Operation::Put) => {
            "Replaces the fields of an object; those that are left out get their defaults.".to_owned()
        }
        Some(Operation::Patch) => "Changes the fields of an object that the body has.".to_owned(),
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

fn parameters<'d>(action: &'d ActionDescription, shared: &mut SharedParts) -> Vec<OperationParameter<'d>> {
    let mut parameters: Vec<OperationParameter<'d>> =
        path::parameters(action).map(OperationParameter::Other).collect();
    match (action.route.operation, &action.list, &action.response) {
        (Some(Operation::List), Some(list), Some(object)) => {
            parameters.extend(list_parameters::of_list(action, list, object, shared));
        }
        (Some(Operation::Get), _, Some(object)) => {
            parameters.extend(list_parameters::of_object(object).map(OperationParameter::Other));
        }
        (Some(Operation::Delete), ..) => {
            parameters.extend(bulk_keys(action).map(OperationParameter::Other));
            parameters.push(OperationParameter::Other(bodies::prefer()));
        }
        _ => {}
    }
    parameters
}

/// Query parameter with the keys of the objects that a request deletes.
fn bulk_keys(action: &ActionDescription) -> Option<Value> {
    let (key, max) = (action.bulk_key.as_ref()?, action.max_bulk?);
    Some(json!({
        "name": key,
        "in": "query",
        "required": true,
        "description": "Keys of the objects, repeated.",
        "style": "form",
        "explode": true,
        "schema": {"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 1, "maxItems": max},
    }))
}
