//! JSON Patch (RFC 6902).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::load::patch::json_pointer::{JsonPointer, find_mut, index};

/// Maximum operations of a patch.
const MAX_OPERATIONS: usize = 1_000;
/// Maximum bytes that `copy` may add to a document.
const MAX_COPIED: usize = 1024 * 1024;
/// Maximum nesting of a document.
const MAX_DEPTH: usize = 64;

/// Names of the operations.
const OPERATIONS: [&str; 6] = ["add", "remove", "replace", "move", "copy", "test"];

/// A sequence of changes.
#[derive(Debug)]
pub(super) struct JsonPatch(Vec<PatchOperation>);

/// One change. Unknown members are ignored, as the RFC says.
#[derive(Debug)]
enum PatchOperation {
    Add { path: JsonPointer, value: Value },
    Remove { path: JsonPointer },
    Replace { path: JsonPointer, value: Value },
    Move { from: JsonPointer, path: JsonPointer },
    Copy { from: JsonPointer, path: JsonPointer },
    Test { path: JsonPointer, value: Value },
}

/// Reason why a patch cannot be applied, with the number of the operation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PatchFailure {
    pub(super) position: usize,
    pub(super) reason: String,
}

impl JsonPatch {
    /// Parses a patch. The error is a sentence for the client.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let operations: Vec<PatchOperation> =
            serde_json::from_str(text).map_err(|error| format!("Malformed JSON Patch: {error}."))?;
        if operations.len() > MAX_OPERATIONS {
            return Err(format!("A JSON Patch has at most {MAX_OPERATIONS} operations."));
        }
        Ok(Self(operations))
    }

    /// Applies all operations in order. The document is useless if one fails.
    pub(super) fn apply(&self, document: &mut Value) -> Result<(), PatchFailure> {
        let mut copied = 0;
        for (position, operation) in self.0.iter().enumerate() {
            operation
                .apply(document, &mut copied)
                .map_err(|reason| PatchFailure { position, reason })?;
        }
        Ok(())
    }
}

impl PatchOperation {
    fn apply(&self, document: &mut Value, copied: &mut usize) -> Result<(), String> {
        match self {
            Self::Add { path, value } => add(document, path, value.clone()),
            Self::Remove { path } => remove(document, path).map(drop),
            Self::Replace { path, value } => {
                require_depth(path, value)?;
                let target = match path.split_last() {
                    None => Some(document),
                    Some((parents, last)) => find_mut(document, parents).and_then(|parent| match parent {
                        Value::Object(members) => members.get_mut(last),
                        Value::Array(items) => items.get_mut(index(last)?),
                        _ => None,
                    }),
                };
                *target.ok_or_else(|| missing(path))? = value.clone();
                Ok(())
            }
            Self::Move { from, path } => {
                if from.contains(path) {
                    return Err(format!("{from} cannot be moved into itself"));
                }
                let value = remove(document, from)?;
                add(document, path, value)
            }
            Self::Copy { from, path } => {
                let value = from.find(document).ok_or_else(|| missing(from))?;
                *copied += size(value);
                if *copied > MAX_COPIED {
                    return Err(format!("the patch copies more than {MAX_COPIED} bytes"));
                }
                add(document, path, value.clone())
            }
            Self::Test { path, value } => match path.find(document) {
                Some(found) if is_equal(found, value) => Ok(()),
                Some(_) => Err(format!("{path} has another value")),
                None => Err(missing(path)),
            },
        }
    }
}

/// Members of an operation, as far as they are known.
#[derive(Default)]
struct Members {
    op: Option<Value>,
    path: Option<Value>,
    from: Option<Value>,
    value: Option<Value>,
}

impl Members {
    /// The member with this name, unless operations have none.
    fn named(&mut self, name: &str) -> Option<(&'static str, &mut Option<Value>)> {
        match name {
            "op" => Some(("op", &mut self.op)),
            "path" => Some(("path", &mut self.path)),
            "from" => Some(("from", &mut self.from)),
            "value" => Some(("value", &mut self.value)),
            _ => None,
        }
    }

    /// The operation. Its unused members may be anything.
    fn operation<E: Error>(self) -> Result<PatchOperation, E> {
        let op: String = read("op", self.op)?;
        let path = read("path", self.path)?;
        let value = self.value.ok_or_else(|| E::missing_field("value"));
        Ok(match op.as_str() {
            "add" => PatchOperation::Add { path, value: value? },
            "remove" => PatchOperation::Remove { path },
            "replace" => PatchOperation::Replace { path, value: value? },
            "move" => PatchOperation::Move {
                from: read("from", self.from)?,
                path,
            },
            "copy" => PatchOperation::Copy {
                from: read("from", self.from)?,
                path,
            },
            "test" => PatchOperation::Test { path, value: value? },
            _ => return Err(E::unknown_variant(&op, &OPERATIONS)),
        })
    }
}

/// Reads a member that is required.
fn read<'de, T: Deserialize<'de>, E: Error>(name: &'static str, member: Option<Value>) -> Result<T, E> {
    let member = member.ok_or_else(|| E::missing_field(name))?;
    T::deserialize(member).map_err(E::custom)
}

impl<'de> Deserialize<'de> for PatchOperation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OperationVisitor;

        impl<'de> Visitor<'de> for OperationVisitor {
            type Value = PatchOperation;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an operation")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PatchOperation, A::Error> {
                let mut members = Members::default();
                while let Some(name) = map.next_key::<String>()? {
                    match members.named(&name) {
                        None => drop(map.next_value::<IgnoredAny>()?),
                        Some((name, Some(_))) => return Err(A::Error::duplicate_field(name)),
                        Some((_, member)) => *member = Some(map.next_value()?),
                    }
                }
                members.operation()
            }
        }

        deserializer.deserialize_map(OperationVisitor)
    }
}

fn missing(path: &JsonPointer) -> String {
    format!("there is no {path}")
}

fn add(document: &mut Value, path: &JsonPointer, value: Value) -> Result<(), String> {
    require_depth(path, &value)?;
    let Some((parents, last)) = path.split_last() else {
        *document = value;
        return Ok(());
    };
    match find_mut(document, parents) {
        Some(Value::Object(members)) => {
            members.insert(last.to_owned(), value);
            Ok(())
        }
        Some(Value::Array(items)) => {
            let position = if last == "-" {
                Some(items.len())
            } else {
                index(last)
            };
            let position = position.filter(|position| *position <= items.len());
            items.insert(position.ok_or_else(|| missing(path))?, value);
            Ok(())
        }
        _ => Err(missing(path)),
    }
}

fn remove(document: &mut Value, path: &JsonPointer) -> Result<Value, String> {
    let removed = match path.split_last() {
        None => Some(document.take()),
        Some((parents, last)) => find_mut(document, parents).and_then(|parent| match parent {
            Value::Object(members) => members.shift_remove(last),
            Value::Array(items) => {
                let position = index(last).filter(|position| *position < items.len())?;
                Some(items.remove(position))
            }
            _ => None,
        }),
    };
    removed.ok_or_else(|| missing(path))
}

/// Rejects a value that would be nested too deeply, since documents are read and written recursively.
fn require_depth(path: &JsonPointer, value: &Value) -> Result<(), String> {
    if path.len() + depth(value) > MAX_DEPTH {
        return Err(format!("{path} would be nested more than {MAX_DEPTH} times"));
    }
    Ok(())
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Approximate number of bytes of a value.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 8,
        Value::Array(items) => 8 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| name.len() + 8 + size(value);
            8 + members.iter().map(member).sum::<usize>()
        }
    }
}

/// Whether two values are equal as the RFC says: numbers by their values, objects in any order.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.as_f64() == other.as_f64() && (one.is_f64() || other.is_f64()))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && std::iter::zip(one, other).all(|(one, other)| is_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_same = |(name, value): (&String, &Value)| {
                other.get(name).is_some_and(|other| is_equal(value, other))
            };
            one.len() == other.len() && one.iter().all(is_same)
        }
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn apply(mut document: Value, patch: &Value) -> Result<Value, PatchFailure> {
        let patch = JsonPatch::parse(&patch.to_string()).expect("a valid patch");
        patch.apply(&mut document).map(|()| document)
    }

    #[test]
    fn copies_do_not_grow_without_limit() {
        let doubling: Vec<Value> = (0..60)
            .map(|_| json!({"op": "copy", "from": "/a", "path": "/a/-"}))
            .collect();
        let failure = apply(json!({"a": ["x"]}), &json!(doubling)).expect_err("a document of 2^60 items");
        assert!(
            failure.reason.contains("nested") || failure.reason.contains("bytes"),
            "{failure:?}"
        );
        let wide: Vec<Value> = (0..60)
            .map(|number| json!({"op": "copy", "from": "", "path": format!("/{number}")}))
            .collect();
        let failure =
            apply(json!({"a": "x".repeat(1000)}), &json!(wide)).expect_err("a document of 2^60 bytes");
        assert!(
            failure.reason.contains("nested") || failure.reason.contains("bytes"),
            "{failure:?}"
        );
    }

    #[test]
    fn too_many_operations_are_rejected() {
        let tests: Vec<Value> = (0..1_001)
            .map(|_| json!({"op": "test", "path": "", "value": {}}))
            .collect();
        assert!(JsonPatch::parse(&json!(tests).to_string()).is_err());
    }

    #[test]
    fn an_operation_has_each_of_its_members_once_and_may_have_others() {
        for (text, expected) in [
            (r#"{"op": "remove", "path": "/a", "from": 1, "note": {}}"#, None),
            (r#"{"value": null, "path": "/a", "op": "add"}"#, None),
            (r#"{"op": "add", "path": "/a"}"#, Some("missing field `value`")),
            (r#"{"op": "move", "path": "/a"}"#, Some("missing field `from`")),
            (r#"{"path": "/a"}"#, Some("missing field `op`")),
            (r#"{"op": "grow", "path": "/a"}"#, Some("unknown variant `grow`")),
            (r#"{"op": "remove", "path": "a"}"#, Some("begins with a slash")),
            (r#"{"op": "remove", "path": 1}"#, Some("expected a string")),
            (
                r#"{"op": "remove", "path": "/a", "path": "/b"}"#,
                Some("duplicate field `path`"),
            ),
            (r#"["remove", "/a"]"#, Some("expected an operation")),
        ] {
            let error = JsonPatch::parse(&format!("[{text}]")).err();
            match (&error, expected) {
                (Some(error), Some(part)) => assert!(error.contains(part), "{text}: {error}"),
                (error, expected) => assert_eq!(error.is_some(), expected.is_some(), "{text}: {error:?}"),
            }
        }
    }

    #[test]
    fn numbers_are_equal_by_their_values() {
        for (one, other, expected) in [
            (json!(1), json!(1.0), true),
            (json!(10), json!(1e1), true),
            (
                json!(9_007_199_254_740_993_u64),
                json!(9_007_199_254_740_992_u64),
                false,
            ),
            (json!("10"), json!(10), false),
            (json!({"a": 1, "b": [2]}), json!({"b": [2.0], "a": 1}), true),
        ] {
            assert_eq!(is_equal(&one, &other), expected, "{one} and {other}");
        }
    }
}
