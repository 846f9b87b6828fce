//! Error responses as JSON: `{"message": ..}`, `{"errors": ..}`, or problem details (RFC 9457).

use std::collections::HashMap;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use model_resource_schema::errors::{CodedErrors, Errors};
use serde_json::{Map, Value, json};

use crate::pipeline::Error;
use crate::render::accept::Accept;

const PROBLEM: &str = "application/problem+json";
const JSON: &str = "application/json";

/// The api's `errors`: replacement bodies by error name.
pub(crate) type ErrorMap = HashMap<String, Map<String, Value>>;

/// Format of error responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorStyle {
    Message,
    Problem,
}

impl ErrorStyle {
    /// Chooses RFC 9457 for clients that name its media type and do not prefer plain JSON.
    pub(crate) fn of(accept: &Accept) -> Self {
        match accept.named(PROBLEM) {
            Some(quality) if quality > 0 && quality >= accept.named(JSON).unwrap_or(0) => ErrorStyle::Problem,
            _ => ErrorStyle::Message,
        }
    }

    /// Renders the response for an error.
    pub(crate) fn render(self, error: &Error, map: &ErrorMap, request_id: &str) -> Response {
        let mut status = error.status();
        let mut body = match (self, error.errors()) {
            (ErrorStyle::Problem, errors) => problem(error, errors),
            (ErrorStyle::Message, Some(errors)) => object(json!({ "errors": errors })),
            (ErrorStyle::Message, None) => object(json!({ "message": error.message() })),
        };
        if let Some(mapped) = map.get(error.name()) {
            status = mapped_status(mapped);
            if self == ErrorStyle::Problem {
                body.insert("status".to_owned(), status.as_u16().into());
            }
            body.extend(mapped.clone());
        }
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            body.insert("requestId".to_owned(), request_id.into());
        }
        let mut response = Response::new(Body::from(Value::Object(body).to_string()));
        *response.status_mut() = status;
        let media_type = if self == ErrorStyle::Problem {
            PROBLEM
        } else {
            JSON
        };
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        response
            .headers_mut()
            .insert(header::VARY, HeaderValue::from_static("accept"));
        error.add_headers(response.headers_mut());
        response
    }
}

fn problem(error: &Error, errors: Option<&Errors>) -> Map<String, Value> {
    let status = error.status();
    let mut body = object(json!({
        "type": "about:blank",
        "title": status.canonical_reason().unwrap_or("Error"),
        "status": status.as_u16(),
        "detail": error.message(),
        "code": error.code(),
    }));
    if let Some(errors) = errors {
        body.insert("errors".to_owned(), json!(CodedErrors(errors)));
    }
    body
}

/// Status of a mapped error; 500 if the map has none.
fn mapped_status(mapped: &Map<String, Value>) -> StatusCode {
    let status = mapped
        .get("status")
        .and_then(Value::as_u64)
        .and_then(|status| u16::try_from(status).ok());
    status
        .and_then(|status| StatusCode::from_u16(status).ok())
        .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => Map::from_iter([("message".to_owned(), other)]),
    }
}
