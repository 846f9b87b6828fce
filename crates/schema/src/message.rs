//! Validation messages with a text for people and a code for programs.

use std::borrow::Cow;

/// A validation message: a sentence for people and a stable code for programs.
///
/// A plain text has the code `invalid`; a custom check may use another code.
///
/// ```
/// use model_resource_schema::message::Message;
///
/// let message = Message::new("too_early", "Must be after the arrival.");
/// assert_eq!(message.code(), "too_early");
/// assert_eq!(message.text(), "Must be after the arrival.");
/// assert_eq!(Message::from("Not this one.").code(), "invalid");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    text: String,
    code: Cow<'static, str>,
}

impl Message {
    /// Creates a message with this code.
    pub fn new(code: impl Into<Cow<'static, str>>, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            code: code.into(),
        }
    }

    /// Message for a missing field, by its label.
    pub fn required(label: &str) -> Self {
        Self::new(code::REQUIRED, format!("{label} is required."))
    }

    /// Message for a field that must not be null, by its label.
    pub fn null(label: &str) -> Self {
        Self::new(code::NULL, format!("{label} may not be null."))
    }

    /// Message for a value that another row already has, by its label.
    pub fn unique(label: &str) -> Self {
        Self::new(code::UNIQUE, format!("{label} is already taken."))
    }

    /// Message for a foreign key to a row that does not exist, by its label.
    pub fn missing_reference(label: &str) -> Self {
        Self::new(code::MISSING_REFERENCE, format!("{label} does not exist."))
    }

    /// Message for a field that cannot be set.
    pub fn read_only() -> Self {
        Self::new(code::READ_ONLY, "Read-only; leave it out.")
    }

    /// Message for a field that the serializer does not have.
    pub fn unknown() -> Self {
        Self::new(code::UNKNOWN, "Unknown field.")
    }

    /// Message for a value that contradicts the URL.
    pub fn url_mismatch() -> Self {
        Self::new(code::URL_MISMATCH, "Does not match the URL.")
    }

    /// Message for a JSON body that is not an object.
    pub fn not_an_object() -> Self {
        Self::new(code::OBJECT, "Expected a JSON object.")
    }

    /// Stable code, for programs.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Sentence, for people.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::new(code::INVALID, text)
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::new(code::INVALID, text)
    }
}

impl From<Cow<'_, str>> for Message {
    fn from(text: Cow<'_, str>) -> Self {
        Self::new(code::INVALID, text)
    }
}

impl From<Message> for String {
    fn from(message: Message) -> Self {
        message.text
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Message {}

/// Message codes of the built-in checks. They do not change between releases.
pub mod code {
    /// The field is missing.
    pub const REQUIRED: &str = "required";
    /// The field is null and may not be.
    pub const NULL: &str = "null";
    /// The serializer has no such field.
    pub const UNKNOWN: &str = "unknown";
    /// The value is not of the column's type: another JSON type, another notation, or out of the type's range.
    pub const TYPE: &str = "type";
    /// The text or bytes are too short.
    pub const MIN_LENGTH: &str = "min_length";
    /// The text or bytes are too long.
    pub const MAX_LENGTH: &str = "max_length";
    /// The value is too small.
    pub const MIN: &str = "min";
    /// The value is too large.
    pub const MAX: &str = "max";
    /// The decimal has too many digits after the point.
    pub const DECIMAL_PLACES: &str = "decimal_places";
    /// The decimal has too many digits before the point.
    pub const WHOLE_DIGITS: &str = "whole_digits";
    /// The text does not match the column's pattern.
    pub const PATTERN: &str = "pattern";
    /// The text is not an e-mail address.
    pub const EMAIL: &str = "email";
    /// The value is not one of the allowed values.
    pub const CHOICE: &str = "choice";
    /// The text contains a null character.
    pub const NULL_CHARACTER: &str = "null_character";
    /// The field cannot be changed on this row, or cannot be set at all and the request is to be handled strictly.
    pub const READ_ONLY: &str = "read_only";
    /// The value contradicts the URL.
    pub const URL_MISMATCH: &str = "url_mismatch";
    /// The value contradicts the one that a policy sets.
    pub const PRESET: &str = "preset";
    /// Another row already has the value.
    pub const UNIQUE: &str = "unique";
    /// The foreign key names a row that does not exist.
    pub const MISSING_REFERENCE: &str = "missing_reference";
    /// The values violate a constraint that only the database knows.
    pub const CONSTRAINT: &str = "constraint";
    /// The value may not follow the present one, or a new row may not have it.
    pub const TRANSITION: &str = "transition";
    /// The body is not a JSON object, or not in its envelope.
    pub const OBJECT: &str = "object";
    /// One of several objects cannot be parsed.
    pub const MALFORMED: &str = "malformed";
    /// The text is the current version of the object, which is not the one that the request names.
    pub const CURRENT_VERSION: &str = "current_version";
    /// Any other check failed.
    pub const INVALID: &str = "invalid";
}
