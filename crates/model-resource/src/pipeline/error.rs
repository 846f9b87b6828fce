//! The error that ends a request; its kind decides the response.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model_resource_schema::errors::Errors;
use model_resource_schema::message::Message;
use model_resource_schema::naming::{self, shortened};
use model_resource_schema::serializer::FieldError;
use model_resource_store::StoreError;

/// Result of operations, decorators and views.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error that ends a request. The client sees the kind, and the log the cause.
///
/// A constructor exists for each outcome, and `?` converts errors of the store. Implement `From` for an error type of the
/// application, in terms of these constructors.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: Option<String>,
    /// Boxed, because few errors have headers.
    headers: Option<Box<HeaderMap>>,
    /// Whether the database undid a transaction because of a concurrent one.
    is_aborted: bool,
    /// Whether a row was changed after its new values were computed from it.
    is_stale: bool,
}

/// Kind of an error, which decides the response.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request violates HTTP.
    BadRequest(String),
    /// The request needs a feature of HTTP that the server does not support.
    NotImplemented(String),
    /// The body does not match its media type.
    Malformed(String),
    /// Fields of the body are invalid.
    Invalid(Errors),
    /// Some objects of a bulk request are invalid, and none was written.
    BulkRejected {
        /// Status of the first one.
        status: StatusCode,
        /// Errors by the position of the object.
        errors: Errors,
    },
    /// A query parameter is invalid.
    BadParameter(String),
    /// The query reached its time limit.
    QueryTooSlow(Duration),
    /// The price of the query exceeds the budget.
    QueryTooExpensive(String),
    /// The caller is not authenticated.
    Unauthorized,
    /// The caller may not do this.
    Forbidden(String),
    /// The object does not exist, or the caller may not see it.
    NotFound,
    /// The resource does not support the operation.
    Unimplemented {
        /// HTTP method of the request.
        method: String,
        /// Operation that the method would need.
        expected: String,
    },
    /// The URL does not support this HTTP method.
    MethodNotAllowed {
        /// HTTP method of the request.
        method: String,
    },
    /// No representation is acceptable to the client.
    NotAcceptable(String),
    /// The request took too long.
    Timeout,
    /// The state of the row does not allow the operation.
    Conflict(String),
    /// The body is larger than the limit.
    TooLarge(usize),
    /// The media type of the body is not supported.
    UnsupportedMediaType(String),
    /// The caller has exceeded a rate limit.
    TooManyRequests {
        /// Seconds until the next request is allowed.
        retry_after: u64,
    },
    /// The database is temporarily unavailable, or the server has too much to do.
    Unavailable,
    /// Internal error.
    Internal,
    /// Custom error of the application.
    Named {
        /// Name, by which [`Api::error`](crate::Api::error) can change the message and status.
        name: &'static str,
        /// HTTP status.
        status: StatusCode,
        /// Message to the client.
        message: String,
    },
}

impl Error {
    /// Creates an error of this kind.
    pub fn new(kind: ErrorKind) -> Self {
        Self {
            kind,
            cause: None,
            headers: None,
            is_aborted: false,
            is_stale: false,
        }
    }

    /// No memory for the request in time: 503.
    pub(crate) fn out_of_memory() -> Self {
        Self::new(ErrorKind::Unavailable).with_cause("the memory budget is used up".to_owned())
    }

    /// Invalid fields of the body: 400.
    pub fn invalid(errors: Errors) -> Self {
        Self::new(ErrorKind::Invalid(errors))
    }

    /// One invalid field of the body: 400.
    pub fn field(field: impl Into<String>, message: impl Into<Message>) -> Self {
        Self::invalid(Errors::field(field, message))
    }

    /// A body that does not match its media type: 400.
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed(message.into()))
    }

    /// Invalid query parameter: 400.
    pub fn bad_parameter(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadParameter(message.into()))
    }

    /// Unauthenticated caller: 401.
    pub fn unauthorized() -> Self {
        Self::new(ErrorKind::Unauthorized)
    }

    /// Forbidden operation: 403.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden(message.into()))
    }

    /// Missing or invisible object: 404.
    pub fn not_found() -> Self {
        Self::new(ErrorKind::NotFound)
    }

    /// Row in a state that does not allow the operation: 409.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict(message.into()))
    }

    /// Internal error: 500. The cause is only logged.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        Self::new(ErrorKind::Internal).with_cause(cause.to_string())
    }

    /// Timeout of a request that was waiting for the database: 503.
    pub(crate) fn database_timeout() -> Self {
        Self::unavailable("the database took longer than the timeout of the request")
    }

    /// Overload or an outage that ends by itself: 503 with `Retry-After`. The cause is only logged.
    pub(crate) fn unavailable(cause: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable).with_cause(cause.into())
    }

    /// Custom error of the application, by whose name [`Api::error`](crate::Api::error) can change message and status.
    pub fn named(name: &'static str, status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Named {
            name,
            status,
            message: message.into(),
        })
    }

    fn with_cause(mut self, cause: String) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Adds a response header.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers_mut().insert(name, value);
        self
    }

    /// Response headers, for decorators that add to them.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.headers.get_or_insert_default()
    }

    /// Kind of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Cause, for the log only.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// Whether the database undid a transaction because of a concurrent one, so that it may succeed if it is repeated.
    pub(crate) fn is_aborted(&self) -> bool {
        self.is_aborted
    }

    /// Row that was changed after its new values were computed from it: 409.
    pub(crate) fn stale() -> Self {
        Self {
            is_stale: true,
            ..Self::conflict("The object was changed meanwhile: repeat the request.")
        }
    }

    /// Whether a row was changed after its new values were computed from it.
    pub(crate) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Errors of the body by field, if there are any.
    pub fn errors(&self) -> Option<&Errors> {
        match &self.kind {
            ErrorKind::Invalid(errors) | ErrorKind::BulkRejected { errors, .. } => Some(errors),
            _ => None,
        }
    }

    /// HTTP status of the kind.
    pub fn status(&self) -> StatusCode {
        match &self.kind {
            ErrorKind::Malformed(_) | ErrorKind::Invalid(_) | ErrorKind::BadParameter(_) => {
                StatusCode::BAD_REQUEST
            }
            ErrorKind::BadRequest(_) | ErrorKind::QueryTooSlow(_) | ErrorKind::QueryTooExpensive(_) => {
                StatusCode::BAD_REQUEST
            }
            ErrorKind::NotImplemented(_) => StatusCode::NOT_IMPLEMENTED,
            ErrorKind::Unauthorized => StatusCode::UNAUTHORIZED,
            ErrorKind::Forbidden(_) => StatusCode::FORBIDDEN,
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::Unimplemented { .. } | ErrorKind::MethodNotAllowed { .. } => {
                StatusCode::METHOD_NOT_ALLOWED
            }
            ErrorKind::NotAcceptable(_) => StatusCode::NOT_ACCEPTABLE,
            ErrorKind::Timeout => StatusCode::REQUEST_TIMEOUT,
            ErrorKind::Conflict(_) => StatusCode::CONFLICT,
            ErrorKind::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorKind::UnsupportedMediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorKind::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
            ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            ErrorKind::Named { status, .. } | ErrorKind::BulkRejected { status, .. } => *status,
        }
    }

    /// Name by which [`Api::error`](crate::Api::error) can change the message and status: that of the [`ErrorKind`], or of
    /// [`Error::named`].
    pub fn name(&self) -> &'static str {
        match &self.kind {
            ErrorKind::BadRequest(_) => "BadRequest",
            ErrorKind::NotImplemented(_) => "NotImplemented",
            ErrorKind::Malformed(_) => "Malformed",
            ErrorKind::Invalid(_) => "Invalid",
            ErrorKind::BulkRejected { .. } => "BulkRejected",
            ErrorKind::BadParameter(_) => "BadParameter",
            ErrorKind::QueryTooSlow(_) => "QueryTooSlow",
            ErrorKind::QueryTooExpensive(_) => "QueryTooExpensive",
            ErrorKind::Unauthorized => "Unauthorized",
            ErrorKind::Forbidden(_) => "Forbidden",
            ErrorKind::NotFound => "NotFound",
            ErrorKind::Unimplemented { .. } => "Unimplemented",
            ErrorKind::MethodNotAllowed { .. } => "MethodNotAllowed",
            ErrorKind::NotAcceptable(_) => "NotAcceptable",
            ErrorKind::Timeout => "Timeout",
            ErrorKind::Conflict(_) => "Conflict",
            ErrorKind::TooLarge(_) => "TooLarge",
            ErrorKind::UnsupportedMediaType(_) => "UnsupportedMediaType",
            ErrorKind::TooManyRequests { .. } => "TooManyRequests",
            ErrorKind::Unavailable => "Unavailable",
            ErrorKind::Internal => "Internal",
            ErrorKind::Named { name, .. } => name,
        }
    }

    /// Name as a machine-readable code: `not_found`.
    pub(crate) fn code(&self) -> String {
        naming::snake_case(self.name())
    }

    /// Message to the client.
    pub fn message(&self) -> String {
        match &self.kind {
            ErrorKind::Malformed(message)
            | ErrorKind::BadParameter(message)
            | ErrorKind::QueryTooExpensive(message)
            | ErrorKind::Forbidden(message) => message.clone(),
            ErrorKind::BadRequest(message) | ErrorKind::NotImplemented(message) => message.clone(),
            ErrorKind::NotAcceptable(message) | ErrorKind::Conflict(message) => message.clone(),
            ErrorKind::UnsupportedMediaType(message) | ErrorKind::Named { message, .. } => message.clone(),
            ErrorKind::Invalid(_) => "Some fields are not valid.".to_owned(),
            ErrorKind::BulkRejected { .. } => {
                "Some of the objects were rejected, and none was written.".to_owned()
            }
            ErrorKind::QueryTooSlow(limit) => format!(
                "The query took longer than {} s: filter by an indexed field, or ask for fewer rows or without a count.",
                limit.as_secs_f64()
            ),
            ErrorKind::Unauthorized => "Authentication is required.".to_owned(),
            ErrorKind::NotFound => "Not found.".to_owned(),
            ErrorKind::Unimplemented { method, expected } => {
                let (method, expected) = (shortened(method), shortened(expected));
                format!(
                    "The HTTP method {method} is unimplemented here: the operation \"{expected}\" was expected."
                )
            }
            ErrorKind::MethodNotAllowed { method } => {
                let method = shortened(method);
                format!("This URL does not take the HTTP method {method}.")
            }
            ErrorKind::Timeout => "The request took too long.".to_owned(),
            ErrorKind::TooLarge(limit) => format!("The request body is larger than {limit} bytes."),
            ErrorKind::TooManyRequests { .. } => "Too many requests; try again later.".to_owned(),
            ErrorKind::Unavailable => "The service is not available; try again shortly.".to_owned(),
            ErrorKind::Internal => "Internal Server Error".to_owned(),
        }
    }

    /// Response header of the error.
    pub(crate) fn header(&self, name: &HeaderName) -> Option<&HeaderValue> {
        self.headers.as_ref()?.get(name)
    }

    /// Adds the error's headers to those of a response.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap) {
        let retry_after = match self.kind {
            ErrorKind::TooManyRequests { retry_after } => Some(HeaderValue::from(retry_after)),
            ErrorKind::Unavailable => Some(HeaderValue::from(1)),
            _ => None,
        };
        headers.extend(retry_after.map(|seconds| (header::RETRY_AFTER, seconds)));
        if let Some(own) = &self.headers {
            headers.extend((**own).clone());
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.cause.as_deref().unwrap_or(&self.message()))
    }
}

impl std::error::Error for Error {}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Invalid(errors) => Self::invalid(errors),
            StoreError::Missing => Self::not_found(),
            StoreError::Referenced => Self::conflict("Other objects refer to this one; delete them first."),
            StoreError::TooManyRelated(model) => Self::bad_parameter(format!(
                "There are too many objects of {model} to expand: ask for fewer objects at once, or for these at their own URL."
            )),
            StoreError::TooLarge => Self::bad_parameter(
                "The objects are too large for one answer: ask for fewer rows at once, or for fewer fields.",
            ),
            StoreError::OutOfRange => {
                Self::bad_parameter("A sum is too large to be represented: aggregate fewer rows at once.")
            }
            StoreError::TooSlow(limit) => Self::new(ErrorKind::QueryTooSlow(limit)),
            StoreError::Aborted(cause) => Self {
                is_aborted: true,
                ..Self::unavailable(cause)
            },
            StoreError::Unavailable(cause) => Self::unavailable(cause),
            other => Self::internal(other),
        }
    }
}

impl From<FieldError> for Error {
    fn from(error: FieldError) -> Self {
        Self::bad_parameter(error.to_string())
    }
}

impl From<model_resource_schema::column_type::TypeMismatch> for Error {
    fn from(mismatch: model_resource_schema::column_type::TypeMismatch) -> Self {
        Self::internal(mismatch)
    }
}
