//! Validation of JSON documents, which are stored unchanged.

use crate::naming::Quoted;

/// Rejects documents that some database or client cannot hold: lone surrogates, NUL, duplicate keys, numbers out of
/// range.
pub(crate) fn check(text: &str) -> Result<(), String> {
    serde_json::from_str::<Document>(text)
        .map(|_| ())
        .map_err(|error| {
            let error = error.to_string();
            let reason = error.split(" at line ").next().unwrap_or_default();
            format!("Not a valid JSON document: {reason}.")
        })
}

/// Visitor that validates a JSON document and discards it.
struct Document;

impl<'de> serde::Deserialize<'de> for Document {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> serde::de::Visitor<'de> for DocumentVisitor {
    type Value = Document;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Document, E> {
        Ok(Document)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Document, E> {
        Ok(Document)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Document, E> {
        Ok(Document)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Document, E> {
        Ok(Document)
    }

    fn visit_unit<E>(self) -> Result<Document, E> {
        Ok(Document)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Document, E> {
        if text.contains('\0') {
            return Err(E::custom("null characters are not allowed"));
        }
        Ok(Document)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Document, A::Error> {
        while items.next_element::<Document>()?.is_some() {}
        Ok(Document)
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        let mut seen = std::collections::HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            DocumentVisitor.visit_str::<A::Error>(&key)?;
            map.next_value::<Document>()?;
            if let Some(key) = seen.replace(key) {
                return Err(serde::de::Error::custom(format!(
                    "the key {} occurs twice",
                    Quoted(&key)
                )));
            }
        }
        Ok(Document)
    }
}
