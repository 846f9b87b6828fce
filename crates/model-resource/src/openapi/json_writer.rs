//! Writers of JSON objects and arrays, part by part.

use serde::Serialize;

/// Writer of a JSON object. Its end is written by `end`.
pub(super) struct JsonObjectWriter<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> JsonObjectWriter<'o> {
    /// Begins an object.
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    /// Writes a member.
    pub(super) fn member(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        self.with(name, |out| write(out, value));
    }

    /// Writes a member that is an object.
    pub(super) fn object(&mut self, name: &str, members: impl FnOnce(&mut JsonObjectWriter<'_>)) {
        self.with(name, |out| {
            let mut object = JsonObjectWriter::new(out);
            members(&mut object);
            object.end();
        });
    }

    /// Writes a member that is an array.
    pub(super) fn array(&mut self, name: &str, items: impl FnOnce(&mut JsonArrayWriter<'_>)) {
        self.with(name, |out| {
            let mut array = JsonArrayWriter::new(out);
            items(&mut array);
            array.end();
        });
    }

    /// Writes members whose text, separated by commas, exists already.
    pub(super) fn text(&mut self, members: &[u8]) {
        if !members.is_empty() {
            self.separate();
            self.out.extend_from_slice(members);
        }
    }

    /// Writes a member whose text `value` appends.
    pub(super) fn with(&mut self, name: &str, value: impl FnOnce(&mut Vec<u8>)) {
        self.separate();
        write(self.out, name);
        self.out.push(b':');
        value(self.out);
    }

    fn separate(&mut self) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
    }

    /// Ends the object.
    pub(super) fn end(self) {
        self.out.push(b'}');
    }
}

/// Writer of a JSON array. Its end is written by `end`.
pub(super) struct JsonArrayWriter<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> JsonArrayWriter<'o> {
    /// Begins an array.
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        out.push(b'[');
        Self { out, is_empty: true }
    }

    /// Writes an item.
    pub(super) fn item(&mut self, value: &(impl Serialize + ?Sized)) {
        self.with(|out| write(out, value));
    }

    /// Writes an item whose text `value` appends.
    pub(super) fn with(&mut self, value: impl FnOnce(&mut Vec<u8>)) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        value(self.out);
    }

    /// Ends the array.
    pub(super) fn end(self) {
        self.out.push(b']');
    }
}

/// Appends a value.
///
/// # Panics
/// If the value has maps with other keys than strings.
pub(super) fn write(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(out, value).expect("all keys are strings");
}

/// Text of a value.
pub(super) fn text(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, value);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn members_are_separated_and_escaped() {
        let mut out = Vec::new();
        let mut object = JsonObjectWriter::new(&mut out);
        object.member("a\"", &1);
        object.object("empty", |_| {});
        object.text(b"");
        object.text(b"\"x\":2,\"y\":3");
        object.object("b", |b| b.member("c", "d\n"));
        object.end();
        let read: Value = serde_json::from_slice(&out).expect("it is JSON");
        assert_eq!(
            read,
            json!({"a\"": 1, "empty": {}, "x": 2, "y": 3, "b": {"c": "d\n"}})
        );
    }
}
