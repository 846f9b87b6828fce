//! Reading of JSON objects member by member, with the values as text.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer as _, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::naming::Quoted;

/// Error for a body that is not valid JSON, as a sentence for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedJson(pub String);

/// Whether to continue reading an object.
pub(super) enum Go {
    On,
    Stop,
}

/// Calls `each` for each member of a JSON object, with the value as text.
pub(super) fn read_object<'a>(
    text: &'a str,
    each: impl FnMut(Cow<'a, str>, &'a RawValue) -> Go,
) -> Result<(), MalformedJson> {
    let mut reader = Members {
        each,
        stopped: false,
        last_key: None,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = deserializer
        .deserialize_map(&mut reader)
        .and_then(|()| deserializer.end());
    match read {
        Err(error) if !reader.stopped => Err(malformed(&error, reader.last_key.as_deref())),
        _ => Ok(()),
    }
}

pub(super) fn malformed(error: &serde_json::Error, key: Option<&str>) -> MalformedJson {
    let place = key
        .map(|key| format!(", in the value of {}", Quoted(key)))
        .unwrap_or_default();
    MalformedJson(format!("Malformed JSON: {error}{place}."))
}

/// Error for a duplicate key.
pub(super) fn repeated(key: &str) -> MalformedJson {
    MalformedJson(format!("Malformed JSON: the key {} occurs twice.", Quoted(key)))
}

struct Members<'a, F> {
    each: F,
    stopped: bool,
    last_key: Option<Cow<'a, str>>,
}

impl<'a, F: FnMut(Cow<'a, str>, &'a RawValue) -> Go> Visitor<'a> for &mut Members<'a, F> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(KeySeed)? {
            self.last_key = Some(key.clone());
            let value = map.next_value::<&'a RawValue>()?;
            self.last_key = None;
            if let Go::Stop = (self.each)(key, value) {
                self.stopped = true;
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// Reads a key, borrowed unless it contains escapes.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

/// Rejects a body that is nested too deeply, before anything recurses into it.
pub fn refuse_depth(body: &str, limit: usize) -> Result<(), MalformedJson> {
    // Nearly every body has too few brackets to be nested that deeply.
    let brackets = body.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    if brackets <= limit {
        return Ok(());
    }
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    for byte in body.bytes() {
        if in_text {
            in_text = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limit {
            return Err(MalformedJson(format!(
                "The JSON body nests deeper than {} levels.",
                limit
            )));
        }
    }
    Ok(())
}
