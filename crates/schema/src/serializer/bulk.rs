//! Bodies with several objects.

use crate::errors::Errors;
use crate::message::{Message, code};
use crate::serializer::compiled::{CompiledSerializer, InputTarget};
use crate::serializer::json_array::read_items;
use crate::serializer::json_object::{Go, MalformedJson, read_object};
use crate::value::Value;

const NOT_A_VERSION: &str = "Not the number of a version, nor an ETag.";

/// Version that one of several objects is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectVersion {
    /// Value of the column with the role [`Version`](crate::column::ColumnRole::Version).
    Number(i64),
    /// Entity tag of the row, with or without its quotes.
    Tag(String),
}

impl ObjectVersion {
    /// Name of the member with the version.
    pub const MEMBER: &str = "version";
}

impl CompiledSerializer {
    /// Splits a body with a list of objects into the JSON texts of the first `limit` objects. Returns `None` if the
    /// body is not a list.
    pub fn objects<'a>(&self, body: &'a str, limit: usize) -> Result<Option<Vec<&'a str>>, MalformedJson> {
        let list = match &self.projection.envelope {
            None => Some(body),
            Some(envelope) if body.trim_ascii_start().starts_with('{') => {
                let (mut list, mut others) = (None, false);
                read_object(body, |key, value| {
                    if key == envelope.many && list.is_none() {
                        list = Some(value.get());
                    } else {
                        others = true;
                    }
                    Go::On
                })?;
                if others { None } else { list }
            }
            Some(_) => None,
        };
        let Some(list) = list.filter(|list| list.trim_ascii_start().starts_with('[')) else {
            return Ok(None);
        };
        read_items(list, limit).map(Some)
    }

    /// Message for a body without a list of objects.
    pub fn expected_objects(&self) -> String {
        match &self.projection.envelope {
            None => "Expected a JSON array of objects.".to_owned(),
            Some(envelope) => format!(
                "Expected an object with the single key \"{}\" and an array of objects.",
                envelope.many
            ),
        }
    }

    /// Whether clients may send a field with this name.
    pub fn takes(&self, name: &str) -> bool {
        self.inputs.iter().any(|field| field.is_named(name))
    }

    /// Wraps one of several objects as a body of its own.
    pub fn alone(&self, object: &str) -> String {
        match &self.projection.envelope {
            None => object.to_owned(),
            Some(envelope) => format!("{{{}:{object}}}", serde_json::Value::from(envelope.one.as_str())),
        }
    }

    /// Reads the version that one of several objects is about: its member `version`, unless that is a field that clients
    /// may write. Also returns the object without it.
    pub fn version_of(&self, object: &str) -> Result<Option<(ObjectVersion, String)>, Errors> {
        if self.writes_version() {
            return Ok(None);
        }
        let (mut version, mut others) = (None, String::with_capacity(object.len()));
        // What is malformed is reported when the object is loaded.
        let read = read_object(object, |member, value| {
            if member == ObjectVersion::MEMBER {
                version = Some(value.get());
            } else {
                others.push(if others.is_empty() { '{' } else { ',' });
                others.push_str(&serde_json::Value::from(member).to_string());
                others.push(':');
                others.push_str(value.get());
            }
            Go::On
        });
        let (Some(version), Ok(())) = (version, read) else {
            return Ok(None);
        };
        others.push_str(if others.is_empty() { "{}" } else { "}" });
        let version = match serde_json::from_str(version) {
            Ok(serde_json::Value::Number(number)) => number.as_i64().map(ObjectVersion::Number),
            Ok(serde_json::Value::String(tag)) => Some(ObjectVersion::Tag(tag)),
            _ => None,
        };
        match version {
            Some(version) => Ok(Some((version, others))),
            None => Err(Errors::field(
                ObjectVersion::MEMBER,
                Message::new(code::TYPE, NOT_A_VERSION),
            )),
        }
    }

    /// Whether the member with the name of the version is a field that clients may write.
    pub(super) fn writes_version(&self) -> bool {
        let mut fields = self.inputs.iter();
        let own = fields.find(|field| field.is_named(ObjectVersion::MEMBER));
        own.is_some_and(|field| !matches!(field.target, InputTarget::ReadOnly(_)))
    }

    /// Reads the value of a column that identifies one of several objects.
    pub fn key_of(&self, column: usize, object: &str) -> Result<Value, Errors> {
        let column = &self.table().columns[column];
        let name = column.wire_name();
        let is_key = |member: &str| {
            let mut fields = self.inputs.iter();
            fields.any(|field| field.name == name && field.is_named(member))
        };
        let error = |message: Message| Errors::field(name.as_str(), message);
        if !object.trim_ascii_start().starts_with('{') {
            return Err(Errors::object(Message::not_an_object()));
        }
        let mut key = None;
        let read = read_object(object, |member, value| {
            if !is_key(&member) {
                return Go::On;
            }
            key = Some(column.load(value));
            Go::Stop
        });
        match (key, read) {
            (Some(Ok(Value::Null)), _) => Err(error(column.null_message())),
            (Some(key), _) => key.map_err(error),
            (None, Ok(())) => Err(error(column.required_message())),
            (None, Err(MalformedJson(text))) => Err(Errors::object(Message::new(code::MALFORMED, text))),
        }
    }
}
