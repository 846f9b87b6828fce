//! Errors of the store.

use std::time::Duration;

use model_resource_schema::errors::Errors;
use model_resource_schema::message::Message;

/// Result of a store operation.
pub type StoreResult<T, E = StoreError> = std::result::Result<T, E>;

// Inside this crate the short names are unambiguous.
pub(crate) use StoreError as Error;
pub(crate) use StoreResult as Result;

/// Error of a store operation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// Values violate a constraint. The messages are for the client, keyed by wire name.
    Invalid(Errors),
    /// The row no longer exists.
    Missing,
    /// The row cannot be deleted, nor its key changed, while other rows reference it.
    Referenced,
    /// Too many related rows of this model.
    TooManyRelated(&'static str),
    /// The rows must be buffered together and exceed the size limit.
    TooLarge,
    /// A sum exceeds the range of its type.
    OutOfRange,
    /// The search was interrupted at this time limit; only a narrower one helps.
    TooSlow(Duration),
    /// The database undid the statement or the transaction because of a concurrent one: a deadlock or a serialization
    /// failure. Nothing was written, and the transaction may succeed if it is repeated as a whole.
    Aborted(String),
    /// A response with this id is stored already, so the transaction was rolled back.
    Repeated,
    /// The database is unreachable, locked, full or overloaded; retrying later may help.
    Unavailable(String),
    /// A bug in the program or the schema, with its cause.
    Failed(String),
}

impl StoreError {
    /// Error of a statement that stores a response: its only constraint is that of its id.
    pub(crate) fn of_response(self) -> Self {
        match self {
            Self::Invalid(_) => Self::Repeated,
            other => other,
        }
    }

    /// Error of a read by key, which the client cannot narrow.
    pub(crate) fn of_row_read(self) -> Self {
        match self {
            Self::TooSlow(limit) => Self::Unavailable(format!("a read by key took longer than {limit:?}")),
            other => other,
        }
    }

    /// Creates a constraint violation of one field.
    pub(crate) fn invalid(field: impl Into<String>, message: impl Into<Message>) -> Self {
        Self::Invalid(Errors::field(field, message))
    }

    /// Creates a constraint violation of several values together.
    pub(crate) fn invalid_whole(message: impl Into<Message>) -> Self {
        Self::Invalid(Errors::object(message))
    }

    /// Creates an error from the payload of a panic.
    pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self::Failed(format!("panicked: {}", text.unwrap_or("without a message")))
    }

    /// Formats an error together with its causes.
    #[cfg(feature = "postgres")]
    pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
        let causes = std::iter::successors(error.source(), |cause| cause.source());
        causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid(errors) => write!(f, "the values break a constraint: {errors}"),
            Self::Missing => f.write_str("the row no longer exists"),
            Self::Referenced => f.write_str("other rows reference the row"),
            Self::TooManyRelated(model) => write!(f, "too many related rows of {model}"),
            Self::TooLarge => f.write_str("the rows are too large to be buffered together"),
            Self::OutOfRange => f.write_str("a sum exceeds the range of its type"),
            Self::TooSlow(limit) => write!(f, "the search took longer than {limit:?}"),
            Self::Aborted(cause) => write!(f, "a concurrent transaction prevented this one: {cause}"),
            Self::Repeated => f.write_str("a response with this id is stored already"),
            Self::Unavailable(cause) => write!(f, "the database is unavailable: {cause}"),
            Self::Failed(cause) => write!(f, "the database failed: {cause}"),
        }
    }
}

impl std::error::Error for StoreError {}
