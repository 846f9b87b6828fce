//! JSON of a response, borrowed from its body. Objects are lists of members: a page reads each member about once, so
//! hashing the names would take most of its time.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Number;

/// JSON value that a page shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum PageJson<'a> {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'a, str>),
    Array(Vec<PageJson<'a>>),
    Object(Vec<(Cow<'a, str>, PageJson<'a>)>),
}

impl<'a> PageJson<'a> {
    /// Parses a body; an empty one is null.
    pub(crate) fn parse(body: &'a [u8]) -> serde_json::Result<Self> {
        if body.is_empty() {
            return Ok(Self::Null);
        }
        serde_json::from_slice(body)
    }

    /// Member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        let mut members = members.iter();
        members.find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_object(&self) -> Option<&[(Cow<'a, str>, Self)]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

impl<'de> Deserialize<'de> for PageJson<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = PageJson<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(PageJson::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(PageJson::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(PageJson::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(PageJson::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(number).map_or(PageJson::Null, PageJson::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(PageJson::String(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(PageJson::String(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(PageJson::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut object = Vec::with_capacity(16);
        while let Some((MemberName(name), value)) = members.next_entry()? {
            object.push((name, value));
        }
        Ok(PageJson::Object(object))
    }
}

/// Name of a member; borrowed unless it has escapes.
struct MemberName<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for MemberName<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = MemberName<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(MemberName(Cow::Borrowed(name)))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(MemberName(Cow::Owned(name.to_owned())))
    }
}

impl Serialize for PageJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(truth) => serializer.serialize_bool(*truth),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

impl fmt::Display for PageJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_written_as_it_was_read() {
        for text in [
            "null",
            "[true,-1,18446744073709551615,0.5,1e300,\"a\\n\\u0007\u{e9}\"]",
            "{\"b\\\"\":{\"a\":[]},\"a\":{}}",
        ] {
            let value = PageJson::parse(text.as_bytes()).expect("it is JSON");
            assert_eq!(
                serde_json::to_value(&value).unwrap(),
                serde_json::from_str::<serde_json::Value>(text).unwrap()
            );
        }
        assert_eq!(PageJson::parse(b"").unwrap(), PageJson::Null);
        assert!(PageJson::parse(b"{").is_err());
    }

    #[test]
    fn members_are_found_by_name() {
        let value = PageJson::parse(b"{\"a\\u0062\":1,\"c\":\"d\"}").expect("it is JSON");
        assert_eq!(value.get("ab"), Some(&PageJson::Number(1.into())));
        assert_eq!(value.get("c").and_then(PageJson::as_str), Some("d"));
        assert_eq!(value.get("d"), None);
        assert_eq!(PageJson::Null.get("a"), None);
    }
}
