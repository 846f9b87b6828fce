//! JSON Pointer (RFC 6901).

use std::borrow::Cow;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Path to a value inside a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsonPointer {
    text: String,
    tokens: Vec<String>,
}

impl JsonPointer {
    /// Parses a pointer. `None` if it does not begin with a slash, or has a tilde that is not an escape.
    fn parse(text: &str) -> Option<Self> {
        let tokens = match text.strip_prefix('/') {
            Some(rest) => rest.split('/').map(unescaped).collect::<Option<_>>()?,
            None if text.is_empty() => Vec::new(),
            None => return None,
        };
        let text = text.to_owned();
        Some(Self { text, tokens })
    }

    /// Number of steps.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Steps to the parent, and the last one. `None` for the whole document.
    pub(super) fn split_last(&self) -> Option<(&[String], &str)> {
        let (last, parents) = self.tokens.split_last()?;
        Some((parents, last))
    }

    pub(super) fn find<'v>(&self, document: &'v Value) -> Option<&'v Value> {
        self.tokens.iter().try_fold(document, |value, token| match value {
            Value::Object(members) => members.get(token),
            Value::Array(items) => items.get(index(token)?),
            _ => None,
        })
    }

    /// Whether the other pointer is about a value inside of the one that this is about.
    pub(super) fn contains(&self, other: &Self) -> bool {
        other.len() > self.len() && other.tokens.starts_with(&self.tokens)
    }
}

/// Value at the end of these steps.
pub(super) fn find_mut<'v>(document: &'v mut Value, steps: &[String]) -> Option<&'v mut Value> {
    steps.iter().try_fold(document, |value, token| match value {
        Value::Object(members) => members.get_mut(token),
        Value::Array(items) => items.get_mut(index(token)?),
        _ => None,
    })
}

/// Index of an array's item: digits without leading zeros.
pub(super) fn index(token: &str) -> Option<usize> {
    let is_plain = token == "0" || !token.starts_with('0');
    let is_number = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    (is_plain && is_number).then(|| token.parse().ok()).flatten()
}

fn unescaped(token: &str) -> Option<String> {
    let mut parts = token.split('~');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let character = match part.as_bytes().first() {
            Some(b'0') => '~',
            Some(b'1') => '/',
            _ => return None,
        };
        text.push(character);
        text.push_str(&part[1..]);
    }
    Some(text)
}

impl fmt::Display for JsonPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for JsonPointer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text: Cow<'de, str> = Deserialize::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            D::Error::custom(
                "a path is empty or begins with a slash, and `~` is written as `~0`, `/` in a name as `~1`",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_examples_of_the_rfc_find_their_values() {
        let document = json!({
            "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
        });
        for (text, expected) in [
            ("", document.clone()),
            ("/foo", json!(["bar", "baz"])),
            ("/foo/0", json!("bar")),
            ("/", json!(0)),
            ("/a~1b", json!(1)),
            ("/c%d", json!(2)),
            ("/e^f", json!(3)),
            ("/g|h", json!(4)),
            ("/i\\j", json!(5)),
            ("/k\"l", json!(6)),
            ("/ ", json!(7)),
            ("/m~0n", json!(8)),
        ] {
            let pointer = JsonPointer::parse(text).expect(text);
            assert_eq!(pointer.find(&document), Some(&expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_pointers_and_other_names_not_indexes() {
        for text in ["foo", "~", "/~", "/~2", "/a~"] {
            assert_eq!(JsonPointer::parse(text), None, "{text}");
        }
        for token in ["01", "-1", "+1", "1.0", "", "-", "99999999999999999999999"] {
            assert_eq!(index(token), None, "{token}");
        }
        assert_eq!((index("0"), index("10")), (Some(0), Some(10)));
    }
}
