//! Error responses: which statuses an action has, and the two forms of their bodies.

use foldhash::HashMap;
use serde_json::{Value, json};

use crate::access::ActionAccess;
use crate::description::ActionDescription;
use crate::openapi::json::schema_reference;
use crate::openapi::json_writer::{JsonObjectWriter, write};
use crate::openapi::shared_parts::SharedParts;
use crate::routing::Operation;

/// Error response that actions share.
struct ErrorResponse {
    status: u16,
    /// Name among the shared responses.
    name: &'static str,
    title: &'static str,
    code: &'static str,
    description: &'static str,
    message: &'static str,
    headers: &'static [&'static str],
}

const ERRORS: [ErrorResponse; 14] = [
    ErrorResponse {
        status: 400,
        name: "BadRequest",
        title: "Bad Request",
        code: "bad_parameter",
        description: "The request is malformed, the body or a parameter is invalid, or the query is too expensive or takes too long.",
        message: "The parameter \"limit\" is not valid: Not a whole number from 1 to 1000.",
        headers: &[],
    },
    ErrorResponse {
        status: 401,
        name: "Unauthorized",
        title: "Unauthorized",
        code: "unauthorized",
        description: "The caller has to authenticate, or the credential is invalid.",
        message: "Authentication is required.",
        headers: &["WWW-Authenticate"],
    },
    ErrorResponse {
        status: 403,
        name: "Forbidden",
        title: "Forbidden",
        code: "forbidden",
        description: "The caller may not do this.",
        message: "You may not do this.",
        headers: &[],
    },
    ErrorResponse {
        status: 404,
        name: "NotFound",
        title: "Not Found",
        code: "not_found",
        description: "The object does not exist, or the caller may not see it.",
        message: "Not found.",
        headers: &[],
    },
    ErrorResponse {
        status: 406,
        name: "NotAcceptable",
        title: "Not Acceptable",
        code: "not_acceptable",
        description: "None of the accepted media types is available.",
        message: "None of the accepted media types is available; available: application/json.",
        headers: &[],
    },
    ErrorResponse {
        status: 408,
        name: "Timeout",
        title: "Request Timeout",
        code: "timeout",
        description: "The request took too long, and nothing was written.",
        message: "The request took too long.",
        headers: &[],
    },
    ErrorResponse {
        status: 409,
        name: "Conflict",
        title: "Conflict",
        code: "conflict",
        description: "The state of the object does not allow the operation, or another request with the same `Idempotency-Key` is \
                      still being answered.",
        message: "Other objects refer to this one; delete them first.",
        headers: &[],
    },
    ErrorResponse {
        status: 412,
        name: "PreconditionFailed",
        title: "Precondition Failed",
        code: "precondition_failed",
        description: "The object has another version than the request is about. Its current `ETag` is sent.",
        message: "The precondition of If-Match does not hold: the object has another version. Read it again, and repeat \
                  the change with its ETag.",
        headers: &["ETag"],
    },
    ErrorResponse {
        status: 413,
        name: "TooLarge",
        title: "Payload Too Large",
        code: "too_large",
        description: "The body is larger than the limit.",
        message: "The request body is larger than 2097152 bytes.",
        headers: &[],
    },
    ErrorResponse {
        status: 414,
        name: "UriTooLong",
        title: "URI Too Long",
        code: "uri_too_long",
        description: "The query is longer than the limit.",
        message: "The query of the URL is longer than 8192 bytes.",
        headers: &[],
    },
    ErrorResponse {
        status: 415,
        name: "UnsupportedMediaType",
        title: "Unsupported Media Type",
        code: "unsupported_media_type",
        description: "The media type of the body is not supported.",
        message: "The request body must be JSON: send it with `Content-Type: application/json`.",
        headers: &[],
    },
    ErrorResponse {
        status: 422,
        name: "IdempotencyKeyReused",
        title: "Unprocessable Entity",
        code: "idempotency_key_reused",
        description: "The `Idempotency-Key` was used for another request.",
        message: "This Idempotency-Key was used for another request: send a new key with each new request.",
        headers: &[],
    },
    ErrorResponse {
        status: 429,
        name: "TooManyRequests",
        title: "Too Many Requests",
        code: "too_many_requests",
        description: "The caller has exceeded a rate limit.",
        message: "Too many requests; try again later.",
        headers: &["Retry-After", "RateLimit", "RateLimit-Policy"],
    },
    ErrorResponse {
        status: 503,
        name: "Unavailable",
        title: "Service Unavailable",
        code: "unavailable",
        description: "The database is temporarily unavailable.",
        message: "The service is not available; try again shortly.",
        headers: &["Retry-After"],
    },
];

/// Names of the schemas of errors, which no model may take.
pub(super) const SCHEMAS: [&str; 5] = [
    "ErrorMessage",
    "ErrorFields",
    "FieldMessages",
    "Problem",
    "CodedMessages",
];

/// Error of the server.
const INTERNAL: ErrorResponse = ErrorResponse {
    status: 500,
    name: "InternalError",
    title: "Internal Server Error",
    code: "internal",
    description: "An error of the server, or another error in the form of all errors.",
    message: "Internal Server Error",
    headers: &[],
};

/// Key of the response for all statuses that a view does not name.
const DEFAULT: u16 = 0;

/// Error responses of actions. Most actions have one of a few sets of them.
pub(super) struct ErrorResponses {
    has_callers: bool,
    known: HashMap<Vec<u16>, Vec<u8>>,
}

impl ErrorResponses {
    pub(super) fn new(has_callers: bool) -> Self {
        Self {
            has_callers,
            known: HashMap::default(),
        }
    }

    /// Writes the error responses of an action, apart from the statuses that it has otherwise.
    pub(super) fn write(
        &mut self,
        action: &ActionDescription,
        others: &[u16],
        shared: &mut SharedParts,
        responses: &mut JsonObjectWriter<'_>,
    ) {
        let errors = ERRORS
            .iter()
            .filter(|error| applies(error.status, action, self.has_callers));
        let errors = errors.map(|error| error.status).chain([INTERNAL.status]);
        let mut statuses: Vec<u16> = errors.filter(|status| !others.contains(status)).collect();
        // A view may respond with any other status.
        if action.route.operation.is_none() {
            statuses.retain(|status| *status != INTERNAL.status);
            statuses.push(DEFAULT);
        }
        let known = self.known.entry(statuses);
        let members = known.or_insert_with_key(|statuses| {
            let mut members = Vec::new();
            for (position, status) in statuses.iter().enumerate() {
                let error = ERRORS.iter().find(|error| error.status == *status);
                let error = error.unwrap_or(&INTERNAL);
                let reference = shared.response(error.name, |shared| response(error, shared));
                let name = match *status {
                    DEFAULT => "default".to_owned(),
                    status => status.to_string(),
                };
                if position > 0 {
                    members.push(b',');
                }
                write(&mut members, &name);
                members.push(b':');
                write(&mut members, &reference);
            }
            members
        });
        responses.text(members);
    }
}

fn applies(status: u16, action: &ActionDescription, has_callers: bool) -> bool {
    let operation = action.route.operation;
    let is_write = is_write(action);
    let has_body = matches!(action.route.method.as_str(), "POST" | "PUT" | "PATCH");
    match status {
        401 => has_callers,
        403 => has_callers && (is_write || action.route.access == ActionAccess::Guard),
        404 => !action.parameters.is_empty() || action.bulk_key.is_some(),
        409 | 422 => is_write,
        412 => is_about_version(action),
        413 | 415 => has_body,
        414 => operation.is_some(),
        429 => action.route.decorators.contains(&"throttle"),
        _ => true,
    }
}

/// Whether an action may write.
pub(super) fn is_write(action: &ActionDescription) -> bool {
    !matches!(action.route.method.as_str(), "GET" | "HEAD")
}

/// Whether preconditions on the version of an object apply to an action.
pub(super) fn is_about_version(action: &ActionDescription) -> bool {
    let operation = action.route.operation;
    let is_one = matches!(
        operation,
        Some(Operation::Get | Operation::Put | Operation::Patch | Operation::Delete)
    );
    (is_one || action.restores) && action.max_bulk.is_none()
}

/// Text of the response of an error.
fn response(error: &ErrorResponse, shared: &mut SharedParts) -> Vec<u8> {
    let message = schema_reference("ErrorMessage");
    // Of several objects, the first error decides the status, and the body has those of all.
    let may_have_fields = matches!(error.status, 400 | 403 | 404 | 409 | 429);
    let plain = if may_have_fields {
        json!({"anyOf": [message, schema_reference("ErrorFields")]})
    } else {
        message
    };
    let problem = json!({
        "type": "about:blank",
        "title": error.title,
        "status": error.status,
        "detail": error.message,
        "code": error.code,
    });
    let content = json!({
        "application/json": {"schema": plain, "example": {"message": error.message}},
        "application/problem+json": {"schema": schema_reference("Problem"), "example": problem},
    });
    let mut out = Vec::new();
    let mut response = JsonObjectWriter::new(&mut out);
    response.member("description", error.description);
    shared.write_headers(error.headers, &mut response);
    response.member("content", &content);
    response.end();
    out
}

/// Schemas of errors, by name.
pub(super) fn schemas() -> [(&'static str, Value); 5] {
    let [message, fields, messages, problem, coded] = SCHEMAS;
    let text = json!({"type": "string"});
    [
        (message, error_message()),
        (fields, error_fields(messages)),
        (messages, by_field("Messages by field.", messages, &text)),
        (problem, problem_details(coded)),
        (
            coded,
            by_field("Messages and their codes by field.", coded, &coded_message()),
        ),
    ]
}

fn error_message() -> Value {
    json!({
        "type": "object",
        "description": "An error.",
        "properties": {"message": {"type": "string"}, "requestId": request_id()},
        "required": ["message"],
    })
}

fn error_fields(messages: &str) -> Value {
    json!({
        "type": "object",
        "description": "Invalid fields of a body.",
        "properties": {"errors": schema_reference(messages)},
        "required": ["errors"],
        "examples": [{"errors": {"title": ["Title is required."]}}],
    })
}

fn problem_details(coded: &str) -> Value {
    json!({
        "type": "object",
        "description": "An error as problem details (RFC 9457), for clients that accept `application/problem+json`.",
        "properties": {
            "type": {"type": "string", "format": "uri-reference"},
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string"},
            "code": {"type": "string", "description": "Stable code for programs."},
            "errors": schema_reference(coded),
            "requestId": request_id(),
        },
        "required": ["type", "title", "status", "detail", "code"],
    })
}

fn request_id() -> Value {
    json!({"type": "string", "description": "Id of the request in the log, with status 500."})
}

/// Messages by field, and in turn by the fields of nested objects.
fn by_field(description: &str, own: &str, message: &Value) -> Value {
    let whole = "`_schema` concerns the whole object; of several objects, each has its position.";
    json!({
        "type": "object",
        "description": format!("{description} {whole}"),
        "additionalProperties": {"anyOf": [{"type": "array", "items": message}, schema_reference(own)]},
    })
}

fn coded_message() -> Value {
    let codes = ["required", "unique", "max_length"];
    json!({
        "type": "object",
        "properties": {
            "message": {"type": "string", "description": "Sentence for people."},
            "code": {"type": "string", "description": "Stable code for programs.", "examples": codes},
        },
        "required": ["message", "code"],
    })
}
