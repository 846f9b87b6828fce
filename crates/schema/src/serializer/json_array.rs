//! Splitting of JSON arrays into the texts of their items.

use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::serializer::json_object::{MalformedJson, malformed};

/// Returns the texts of the first `limit` items of an array. The rest is not parsed.
pub(super) fn read_items(text: &str, limit: usize) -> Result<Vec<&str>, MalformedJson> {
    let mut reader = Items {
        items: Vec::new(),
        limit,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = deserializer
        .deserialize_seq(&mut reader)
        .and_then(|()| deserializer.end());
    match read {
        Err(error) if reader.items.len() < limit => Err(malformed(&error, None)),
        _ => Ok(reader.items),
    }
}

struct Items<'a> {
    items: Vec<&'a str>,
    limit: usize,
}

impl<'a> Visitor<'a> for &mut Items<'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut array: A) -> Result<(), A::Error> {
        while let Some(item) = array.next_element::<&'a RawValue>()? {
            self.items.push(item.get());
            if self.items.len() == self.limit {
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}
