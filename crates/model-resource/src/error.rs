//! What ends a request early: one error, whose kind decides what the client is told.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model_resource_schema::errors::Errors;
use model_resource_schema::message::Message;
use model_resource_schema::naming::{self, shortened};
use model_resource_schema::serializer::FieldError;
use model_resource_store::Error as StoreError;

/// What operations, decorators and views return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The end of a request: the client sees the kind, the log sees the cause.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: Option<String>,
    /// Boxed, since few errors have any.
    headers: Option<Box<HeaderMap>>,
}

/// Why a request ends.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request breaks a rule of HTTP.
    BadRequest(String),
    /// The request needs a part of HTTP that the server does not support.
    NotImplemented(String),
    /// The body is not what its media type says.
    Malformed(String),
    /// Fields of the body are wrong.
    Invalid(Errors),
    /// Some of many objects cannot be written, and so none was.
    BulkRejected {
        /// The status of the first of them.
        status: StatusCode,
        /// What is wrong, below the position of each.
        errors: Errors,
    },
    /// A parameter of the URL's query is wrong.
    BadParameter(String),
    /// The caller is not known.
    Unauthorized,
    /// The caller may not do this.
    Forbidden(String),
    /// There is nothing here, or nothing that the caller may see.
    NotFound,
    /// The operation is not supported by this resource.
    Unimplemented {
        /// The HTTP method that was used.
        method: String,
        /// The operation that would have been expected.
        expected: String,
    },
    /// The URL does not take this HTTP method at all.
    MethodNotAllowed {
        /// The HTTP method that was used.
        method: String,
    },
    /// No representation suits the client.
    NotAcceptable(String),
    /// The request took too long.
    Timeout,
    /// The row is in a state that does not allow it.
    Conflict(String),
    /// The body is larger than the limit.
    TooLarge(usize),
    /// The body has a media type that is not understood.
    UnsupportedMediaType(String),
    /// The caller has asked too often.
    TooManyRequests {
        /// The seconds after which they may ask again.
        retry_after: u64,
    },
    /// The database is away for now.
    Unavailable,
    /// A fault of ours.
    Internal,
    /// An application's own error.
    Named {
        /// The name, which the api's `errors` may map to another message and status.
        name: &'static str,
        /// The status.
        status: StatusCode,
        /// What the client is told.
        message: String,
    },
}

impl Error {
    /// An error of this kind.
    pub fn new(kind: ErrorKind) -> Self {
        Self {
            kind,
            cause: None,
            headers: None,
        }
    }

    /// Fields of the body are wrong: 400.
    pub fn invalid(errors: Errors) -> Self {
        Self::new(ErrorKind::Invalid(errors))
    }

    /// One field of the body is wrong: 400.
    pub fn field(field: impl Into<String>, message: impl Into<Message>) -> Self {
        Self::invalid(Errors::field(field, message))
    }

    /// The body is not what its media type says: 400.
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed(message.into()))
    }

    /// A query parameter is wrong: 400.
    pub fn bad_parameter(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadParameter(message.into()))
    }

    /// The caller is not known: 401.
    pub fn unauthorized() -> Self {
        Self::new(ErrorKind::Unauthorized)
    }

    /// The caller may not do this: 403.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden(message.into()))
    }

    /// There is nothing here: 404.
    pub fn not_found() -> Self {
        Self::new(ErrorKind::NotFound)
    }

    /// The row is in a state that does not allow it: 409.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict(message.into()))
    }

    /// A fault of ours: 500, the cause only in the log.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        Self::new(ErrorKind::Internal).with_cause(cause.to_string())
    }

    /// An application's own error, which the api's `errors` may map to another message and status.
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

    /// The same, told with one more header.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers_mut().insert(name, value);
        self
    }

    /// The headers that it is told with, for decorators that add to them.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.headers.get_or_insert_default()
    }

    /// Why the request ends.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// What happened, for the log alone.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// What is wrong with the body, field by field, if that is why.
    pub fn errors(&self) -> Option<&Errors> {
        match &self.kind {
            ErrorKind::Invalid(errors) | ErrorKind::BulkRejected { errors, .. } => Some(errors),
            _ => None,
        }
    }

    /// The HTTP status that the kind stands for.
    pub fn status(&self) -> StatusCode {
        match &self.kind {
            ErrorKind::Malformed(_) | ErrorKind::Invalid(_) | ErrorKind::BadParameter(_) => {
                StatusCode::BAD_REQUEST
            }
            ErrorKind::BadRequest(_) => StatusCode::BAD_REQUEST,
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

    /// The name by which an api's `errors` can change message and status.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            ErrorKind::BadRequest(_) => "BadRequest",
            ErrorKind::NotImplemented(_) => "NotImplemented",
            ErrorKind::Malformed(_) => "Malformed",
            ErrorKind::Invalid(_) => "Invalid",
            ErrorKind::BulkRejected { .. } => "Refused",
            ErrorKind::BadParameter(_) => "BadParameter",
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

    /// The name as a code for programs: `not_found`.
    pub(crate) fn code(&self) -> String {
        naming::snake_case(self.name())
    }

    /// The sentence that the client is told.
    pub fn message(&self) -> String {
        match &self.kind {
            ErrorKind::Malformed(message)
            | ErrorKind::BadParameter(message)
            | ErrorKind::Forbidden(message) => message.clone(),
            ErrorKind::BadRequest(message) | ErrorKind::NotImplemented(message) => message.clone(),
            ErrorKind::NotAcceptable(message) | ErrorKind::Conflict(message) => message.clone(),
            ErrorKind::UnsupportedMediaType(message) | ErrorKind::Named { message, .. } => message.clone(),
            ErrorKind::Invalid(_) => "Some fields are not valid.".to_owned(),
            ErrorKind::BulkRejected { .. } => {
                "Some of the objects are refused, and none was written.".to_owned()
            }
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

    /// Adds the headers that it is told with to those of an answer.
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
            StoreError::Unavailable(cause) => Self::new(ErrorKind::Unavailable).with_cause(cause),
            other => Self::internal(other),
        }
    }
}

impl From<FieldError> for Error {
    fn from(unreadable: FieldError) -> Self {
        Self::bad_parameter(unreadable.to_string())
    }
}

impl From<model_resource_schema::column_type::TypeMismatch> for Error {
    fn from(mismatch: model_resource_schema::column_type::TypeMismatch) -> Self {
        Self::internal(mismatch)
    }
}
