//! JSON body of a view as a type of its own, checked like the bodies of resources.

use model_resource_schema::errors::Errors;
use model_resource_schema::message::{Message, code};
use model_resource_schema::naming;
use model_resource_schema::serializer::{CompiledSerializer, refuse_depth};
use serde::de::DeserializeOwned;

use crate::handle::argument::FromContext;
use crate::load::json_text;
use crate::pipeline::{Context, Error, Result};

/// Argument of a view: the JSON object of the body, deserialized as `T`.
///
/// Errors are answered as for resources: 415, 400 with a message, or 400 with `errors` by field.
///
/// ```
/// use model_resource::{JsonBody, Reply, Result, route};
///
/// #[derive(serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Login {
///     email: String,
///     password: String,
/// }
///
/// #[route("/login", methods = [POST])]
/// async fn login(JsonBody(login): JsonBody<Login>) -> Result<Reply> {
///     Reply::json(&login.email)
/// }
/// ```
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned + Send> FromContext for JsonBody<T> {
    async fn from_context(cx: &mut Context) -> Result<Self> {
        let text = json_text(cx).await?;
        refuse_depth(&text, CompiledSerializer::MAX_DEPTH)
            .map_err(|malformed| Error::malformed(malformed.0))?;
        if text.trim_ascii().is_empty() {
            return Err(Error::malformed("The request body is empty; send a JSON object."));
        }
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        if !text.trim_ascii_start().starts_with('{') {
            let read = serde_json::from_str::<serde::de::IgnoredAny>(&text);
            return Err(read.map_or_else(|error| malformed(&error), |_| not_an_object()));
        }
        let value =
            serde_path_to_error::deserialize(&mut deserializer).map_err(|error| field_error(&error))?;
        deserializer.end().map_err(|error| malformed(&error))?;
        Ok(Self(value))
    }
}

fn malformed(error: &serde_json::Error) -> Error {
    Error::malformed(format!("Malformed JSON: {error}."))
}

fn not_an_object() -> Error {
    Error::invalid(Errors::object(Message::not_an_object()))
}

/// Converts an error of serde to an error of the field it is about.
fn field_error(error: &serde_path_to_error::Error<serde_json::Error>) -> Error {
    let inner = error.inner();
    if !inner.is_data() {
        return malformed(inner);
    }
    let text = inner.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    let field_in = |prefix: &str| text.strip_prefix(prefix).and_then(|rest| rest.split('`').nth(1));
    if field_in("duplicate field").is_some() {
        return malformed(inner);
    }
    let (leaf, message) = match (field_in("missing field"), field_in("unknown field")) {
        (Some(field), _) => (Some(field), Message::required(&naming::label(field))),
        (_, Some(field)) => (Some(field), Message::unknown()),
        (None, None) => {
            let text = format!("Not valid: {}.", naming::quotations_shortened(text));
            (None, Message::new(code::TYPE, text))
        }
    };
    let leaf = leaf.map(naming::shortened);
    let segments = error.path().iter().map(ToString::to_string);
    let mut path: Vec<String> = segments
        .map(|name| naming::shortened(&name).into_owned())
        .collect();
    if let Some(leaf) = leaf.filter(|leaf| path.last().is_none_or(|last| last != leaf)) {
        path.push(leaf.into_owned());
    }
    let mut errors = match path.pop() {
        Some(field) => Errors::field(field, message),
        None => Errors::object(message),
    };
    for field in path.into_iter().rev() {
        let mut outer = Errors::new();
        outer.nest(field, errors);
        errors = outer;
    }
    Error::invalid(errors)
}
