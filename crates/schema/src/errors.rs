//! Validation errors of a client's data, by field.

use serde::ser::{Serialize, SerializeMap, SerializeStruct as _, Serializer};

use crate::message::Message;

/// Key of errors that concern the whole object.
const WHOLE: &str = "_schema";

/// Validation errors of create, put and patch: messages keyed by wire name.
///
/// ```
/// use model_resource_schema::errors::Errors;
///
/// let mut errors = Errors::new();
/// errors.add("firstName", "First Name is required.");
/// assert_eq!(
///     serde_json::to_string(&errors).unwrap(),
///     r#"{"firstName":["First Name is required."]}"#
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Errors {
    fields: Vec<(String, Node)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Messages(Vec<Message>),
    Nested(Errors),
}

impl Errors {
    /// Maximum number of collected messages: a client would not read more.
    pub const MAX: usize = 100;

    /// Creates an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an error of one field.
    pub fn field(field: impl Into<String>, message: impl Into<Message>) -> Self {
        let mut errors = Self::new();
        errors.add(field, message);
        errors
    }

    /// Creates an error of the whole object.
    pub fn object(message: impl Into<Message>) -> Self {
        Self::field(WHOLE, message)
    }

    /// Whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Number of messages, including nested ones.
    pub fn len(&self) -> usize {
        let count = |node: &Node| match node {
            Node::Messages(messages) => messages.len(),
            Node::Nested(errors) => errors.len(),
        };
        self.fields.iter().map(|(_, node)| count(node)).sum()
    }

    /// Whether [`Errors::MAX`] is reached, so that further messages would be dropped.
    pub fn is_full(&self) -> bool {
        self.len() >= Self::MAX
    }

    /// Whether this field has an error.
    pub fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|(name, _)| name == field)
    }

    /// Whether one of the messages has this code, at any depth.
    pub fn has_code(&self, code: &str) -> bool {
        self.fields.iter().any(|(_, node)| match node {
            Node::Messages(messages) => messages.iter().any(|message| message.code() == code),
            Node::Nested(nested) => nested.has_code(code),
        })
    }

    /// Adds an error of one field, by its wire name.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<Message>) {
        if self.is_full() {
            return;
        }
        match self.node(field.into()) {
            Node::Messages(messages) => messages.push(message.into()),
            Node::Nested(errors) => errors.add(WHOLE, message),
        }
    }

    /// Adds an error of the whole object.
    pub fn add_object(&mut self, message: impl Into<Message>) {
        self.add(WHOLE, message);
    }

    /// Adds the errors of a nested object under its field.
    pub fn nest(&mut self, field: impl Into<String>, mut nested: Errors) {
        nested.truncate(Self::MAX.saturating_sub(self.len()));
        if nested.is_empty() {
            return;
        }
        let node = self.node(field.into());
        match node {
            Node::Nested(errors) => errors.merge(nested),
            Node::Messages(messages) => {
                let mut whole = nested;
                for message in std::mem::take(messages) {
                    whole.add_object(message);
                }
                *node = Node::Nested(whole);
            }
        }
    }

    /// Adds the errors of a list item under its index.
    pub fn nest_index(&mut self, index: usize, nested: Errors) {
        self.nest(index.to_string(), nested);
    }

    /// Adds all messages of another collection.
    pub fn merge(&mut self, other: Errors) {
        for (field, node) in other.fields {
            match node {
                Node::Messages(messages) => messages
                    .into_iter()
                    .for_each(|message| self.add(field.as_str(), message)),
                Node::Nested(errors) => self.nest(field, errors),
            }
        }
    }

    /// Keeps only this number of messages.
    fn truncate(&mut self, mut room: usize) {
        self.fields.retain_mut(|(_, node)| {
            let kept = match node {
                Node::Messages(messages) => {
                    messages.truncate(room);
                    messages.len()
                }
                Node::Nested(errors) => {
                    errors.truncate(room);
                    errors.len()
                }
            };
            room -= kept;
            kept > 0
        });
    }

    fn node(&mut self, field: String) -> &mut Node {
        let position = self.fields.iter().position(|(name, _)| *name == field);
        let position = position.unwrap_or_else(|| {
            self.fields.push((field, Node::Messages(Vec::new())));
            self.fields.len() - 1
        });
        &mut self.fields[position].1
    }
}

/// Serializes the messages as texts: `{"name": ["Name is required."]}`.
/// Lists the messages after their fields, for logs and the command line: `title: May not be empty.; state: ..`.
impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut separator = "";
        for (name, node) in &self.fields {
            match node {
                Node::Messages(messages) => {
                    for message in messages {
                        match name.as_str() {
                            WHOLE => write!(f, "{separator}{message}")?,
                            name => write!(f, "{separator}{name}: {message}")?,
                        }
                        separator = "; ";
                    }
                }
                Node::Nested(nested) => write!(f, "{separator}{name}: ({nested})")?,
            }
            separator = "; ";
        }
        Ok(())
    }
}

impl Serialize for Errors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (name, node) in &self.fields {
            match node {
                Node::Messages(messages) => {
                    let texts: Vec<&str> = messages.iter().map(Message::text).collect();
                    map.serialize_entry(name, &texts)?;
                }
                Node::Nested(errors) => map.serialize_entry(name, errors)?,
            }
        }
        map.end()
    }
}

/// Serializes the messages with their codes: `{"name": [{"message": "Name is required.", "code": "required"}]}`.
///
/// ```
/// use model_resource_schema::errors::{CodedErrors, Errors};
/// use model_resource_schema::message::Message;
///
/// let errors = Errors::field("name", Message::required("Name"));
/// assert_eq!(
///     serde_json::to_string(&CodedErrors(&errors)).unwrap(),
///     r#"{"name":[{"message":"Name is required.","code":"required"}]}"#
/// );
/// ```
#[derive(Debug, Clone, Copy)]
pub struct CodedErrors<'a>(pub &'a Errors);

impl Serialize for CodedErrors<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.fields.len()))?;
        for (name, node) in &self.0.fields {
            match node {
                Node::Messages(messages) => {
                    let coded: Vec<Coded<'_>> = messages.iter().map(Coded::of).collect();
                    map.serialize_entry(name, &coded)?;
                }
                Node::Nested(errors) => map.serialize_entry(name, &CodedErrors(errors))?,
            }
        }
        map.end()
    }
}

/// One message with its code.
struct Coded<'a> {
    message: &'a str,
    code: &'a str,
}

impl<'a> Coded<'a> {
    fn of(message: &'a Message) -> Self {
        Self {
            message: message.text(),
            code: message.code(),
        }
    }
}

impl Serialize for Coded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut coded = serializer.serialize_struct("Coded", 2)?;
        coded.serialize_field("message", self.message)?;
        coded.serialize_field("code", self.code)?;
        coded.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nested_errors_keep_the_messages_that_were_there() {
        let mut errors = Errors::new();
        errors.add("author", "Not found.");
        let mut nested = Errors::new();
        nested.add("email", "Email is required.");
        errors.nest("author", nested);
        assert_eq!(
            serde_json::to_value(&errors).unwrap(),
            json!({"author": {"email": ["Email is required."], "_schema": ["Not found."]}})
        );
    }

    #[test]
    fn the_number_of_messages_is_capped() {
        let mut errors = Errors::new();
        for i in 0..1000 {
            errors.add(format!("f{i}"), "Unknown field.");
        }
        assert_eq!(errors.len(), Errors::MAX);
    }

    #[test]
    fn nested_messages_count_among_the_most() {
        let many = |prefix: &str, count: usize| {
            let mut errors = Errors::new();
            (0..count).for_each(|i| errors.add(format!("{prefix}{i}"), "Unknown field."));
            errors
        };
        let mut errors = many("f", 99);
        let mut deep = Errors::new();
        deep.nest("deep", many("g", 100));
        errors.nest("nested", deep);
        assert_eq!(errors.len(), Errors::MAX);
        assert_eq!(
            serde_json::to_value(&errors).unwrap()["nested"],
            json!({"deep": {"g0": ["Unknown field."]}})
        );
        errors.nest("more", many("h", 1));
        assert!(!errors.has("more"));

        let mut errors = many("f", 60);
        errors.nest("nested", many("g", 30));
        errors.nest("nested", many("h", 30));
        assert_eq!(errors.len(), Errors::MAX);
    }

    #[test]
    fn errors_are_listed_for_people() {
        let mut errors = Errors::field("title", "May not be empty.");
        errors.add_object("Too late.");
        errors.nest("lines", Errors::field("0", "Unknown field."));
        assert_eq!(
            errors.to_string(),
            "title: May not be empty.; Too late.; lines: (0: Unknown field.)"
        );
    }
}
