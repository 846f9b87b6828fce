//! Why a database did not do what it was asked.

use model_resource_schema::errors::Errors;
use model_resource_schema::message::Message;

/// What a store's methods give, unless told otherwise.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a database did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The values break a constraint; the messages are for the client, by wire name.
    Invalid(Errors),
    /// The row is gone.
    Missing,
    /// The row cannot be deleted, or get another key, while other rows reference it.
    Referenced,
    /// The rows relate to too many rows of this model.
    TooManyRelated(&'static str),
    /// The rows have to be held together, and are too large for that.
    TooLarge,
    /// The database is gone, locked, full or overloaded: trying again later may help.
    Unavailable(String),
    /// A fault of the program or of the schema, with its cause.
    Failed(String),
}

impl Error {
    /// A constraint that one field breaks.
    pub(crate) fn invalid(field: impl Into<String>, message: impl Into<Message>) -> Self {
        Self::Invalid(Errors::field(field, message))
    }

    /// A constraint that the values break together.
    pub(crate) fn invalid_whole(message: impl Into<Message>) -> Self {
        Self::Invalid(Errors::object(message))
    }

    /// What a panic said.
    pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self::Failed(format!("panicked: {}", text.unwrap_or("without a message")))
    }

    /// An error and what caused it, as one text.
    pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
        let causes = std::iter::successors(error.source(), |cause| cause.source());
        causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Invalid(errors) => write!(f, "the values break a constraint: {errors:?}"),
            Error::Missing => f.write_str("the row is gone"),
            Error::Referenced => f.write_str("other rows reference the row"),
            Error::TooManyRelated(model) => write!(f, "the rows relate to too many rows of {model}"),
            Error::TooLarge => f.write_str("the rows are too large to be held together"),
            Error::Unavailable(cause) => write!(f, "the database is unavailable: {cause}"),
            Error::Failed(cause) => write!(f, "the database failed: {cause}"),
        }
    }
}

impl std::error::Error for Error {}
