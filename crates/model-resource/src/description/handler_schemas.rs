//! JSON Schemas of what a handler takes and returns.

use serde_json::{Map, Value};

/// JSON Schemas of the arguments and the reply of a view or a custom operation, from their types. `true` is any JSON:
/// the type does not implement `JsonSchema`.
///
/// Without the feature `openapi` nothing is known.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct HandlerSchemas {
    /// Body of the request, if an argument is one: `JsonBody<T>` or `Json<T>`.
    pub body: Option<Value>,
    /// Object of the query parameters, if there is an argument `Query<T>`.
    pub query: Option<Value>,
    /// Object of the URL parameters, if there is an argument `Path<T>`.
    pub path: Option<Value>,
    /// Content of a successful response; `None` if the return type does not tell it.
    pub reply: Option<ReplySchema>,
    /// Other responses that the attribute names.
    pub responses: Vec<ResponseDescription>,
    /// Schemas of recursive types, to which the others refer as `#/components/schemas/..`.
    pub definitions: Map<String, Value>,
}

/// Content of a successful response.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ReplySchema {
    /// A JSON value with this schema.
    Json(Value),
    /// The object that the resource's serializer writes, with the members of this object in addition.
    ObjectWith(Value),
    /// An object of the model with this name, as its serializer writes it.
    Object(&'static str),
    /// A list of objects of the model with this name.
    List(&'static str),
    /// A text.
    Text,
    /// Nothing (204).
    Empty,
}

/// Response that an attribute names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponseDescription {
    /// Status.
    pub status: u16,
    /// Documentation, in Markdown.
    pub description: &'static str,
}

impl HandlerSchemas {
    /// Adds a response that an attribute names.
    pub fn add_response(&mut self, status: u16, description: &'static str) {
        self.responses.push(ResponseDescription { status, description });
    }

    /// Whether nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
