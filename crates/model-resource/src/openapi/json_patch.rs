//! Schema of a JSON Patch (RFC 6902).

use serde_json::{Value, json};

/// Name of the schema.
pub(super) const NAME: &str = "JsonPatch";

/// Returns the schema: a list of operations on the members of an object.
pub(super) fn schema() -> Value {
    let operation = |names: &[&str], other: Option<(&str, Value)>| {
        let mut required = vec!["op", "path"];
        let mut properties = json!({"op": {"enum": names}, "path": pointer()});
        if let Some((member, schema)) = other {
            required.push(member);
            properties[member] = schema;
        }
        json!({"type": "object", "required": required, "properties": properties})
    };
    json!({
        "type": "array",
        "description": "Changes of the object, one after the other (RFC 6902); all or none of them apply.",
        "items": {"oneOf": [
            operation(&["add", "replace", "test"], Some(("value", json!({})))),
            operation(&["move", "copy"], Some(("from", pointer()))),
            operation(&["remove"], None),
        ]},
    })
}

/// Schema of a path to a member (RFC 6901).
fn pointer() -> Value {
    json!({"type": "string", "pattern": "^(/([^/~]|~[01])*)*$", "examples": ["/title"]})
}
