//! Values of a JSON Schema, for the bodies of views.

use serde_json::{Map, Number, Value, json};

use crate::generate::pattern;

/// Maximum depth of generated values, since a schema may refer to itself.
const MAX_DEPTH: usize = 16;
/// Place of the schemas that others refer to.
const DEFINITIONS: &str = "#/components/schemas/";

/// Source of values for JSON Schemas.
pub(crate) struct SchemaValues<'a> {
    /// Schemas that others refer to.
    pub(crate) definitions: &'a Map<String, Value>,
    /// Values of members in objects that have a password.
    pub(crate) members: &'a Map<String, Value>,
    pub(crate) seed: u32,
}

impl SchemaValues<'_> {
    /// Returns a value with the required members of the schema. `None` if the schema does not tell one.
    pub(crate) fn value(&self, schema: &Value) -> Option<Value> {
        self.at_depth(schema, 0)
    }

    fn at_depth(&self, schema: &Value, depth: usize) -> Option<Value> {
        let Value::Object(schema) = schema else {
            return (*schema == Value::Bool(true)).then(|| json!({}));
        };
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.definitions.get(name.strip_prefix(DEFINITIONS)?)?;
            return self.at_depth(target, depth + 1);
        }
        if let Some(value) = schema.get("default").or_else(|| schema.get("const")) {
            return Some(value.clone());
        }
        let first = |key: &str| schema.get(key).and_then(Value::as_array)?.first();
        if let Some(value) = first("enum") {
            return Some(value.clone());
        }
        if let Some(one) = first("oneOf")
            .or_else(|| first("anyOf"))
            .or_else(|| first("allOf"))
        {
            return self.at_depth(one, depth + 1);
        }
        let kind = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.first(),
            other => other,
        };
        match kind.and_then(Value::as_str) {
            Some("object") | None => self.object(schema, depth),
            Some("array") => self.array(schema, depth),
            Some("string") => Some(Value::String(self.text(schema)?)),
            Some("integer") => Some(Value::Number(self.number(schema))),
            Some("number") => Some(Value::Number(self.number(schema))),
            Some("boolean") => Some(Value::Bool(false)),
            Some("null") => Some(Value::Null),
            Some(_) => None,
        }
    }

    fn object(&self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let required = schema.get("required").and_then(Value::as_array);
        let properties = schema.get("properties").and_then(Value::as_object);
        let member = |name: &str| properties.and_then(|properties| properties.get(name));
        let has_password = member("password").is_some();
        let mut object = Map::new();
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let known = self.members.get(name).filter(|_| has_password);
            let value = match known {
                Some(known) => known.clone(),
                None => self.at_depth(member(name).unwrap_or(&Value::Bool(true)), depth + 1)?,
            };
            object.insert(name.to_owned(), value);
        }
        Some(Value::Object(object))
    }

    fn array(&self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let count = schema.get("minItems").and_then(Value::as_u64).unwrap_or_default();
        let item = schema.get("items").unwrap_or(&Value::Bool(true));
        let items = (0..count).map(|_| self.at_depth(item, depth + 1));
        items.collect::<Option<Vec<Value>>>().map(Value::Array)
    }

    fn text(&self, schema: &Map<String, Value>) -> Option<String> {
        let seed = self.seed;
        if let Some(text) = schema.get("pattern").and_then(Value::as_str) {
            return pattern::matching(text, seed.into());
        }
        let form = match schema.get("format").and_then(Value::as_str) {
            Some("email") => format!("example{seed}@example.com"),
            Some("uuid") => format!("00000000-0000-4000-8000-{seed:012}"),
            Some("date") => "2024-01-01".to_owned(),
            Some("time" | "partial-time") => "12:00:00".to_owned(),
            Some("date-time") => "2024-01-01T12:00:00Z".to_owned(),
            Some("uri") => format!("https://example.com/{seed}"),
            _ => {
                let length = |key: &str| schema.get(key).and_then(Value::as_u64).map(|n| n as usize);
                let word = format!("example{seed}");
                let padding = length("minLength").unwrap_or_default().saturating_sub(word.len());
                let padded = word + &"x".repeat(padding);
                padded
                    .chars()
                    .take(length("maxLength").unwrap_or(usize::MAX))
                    .collect()
            }
        };
        Some(form)
    }

    fn number(&self, schema: &Map<String, Value>) -> Number {
        let bound = |key: &str| match schema.get(key) {
            Some(Value::Number(number)) => Some(number.clone()),
            _ => None,
        };
        let is_positive = |number: &Number| number.as_f64().is_some_and(|number| number > 0.0);
        let (min, max) = (bound("minimum"), bound("maximum"));
        let end = min
            .filter(is_positive)
            .or_else(|| max.filter(|max| !is_positive(max)));
        end.unwrap_or_else(|| 1.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(schema: &Value, definitions: &Value) -> Option<Value> {
        let empty = Map::new();
        let values = SchemaValues {
            definitions: definitions.as_object().unwrap_or(&empty),
            members: &empty,
            seed: 7,
        };
        values.value(schema)
    }

    #[test]
    fn the_required_members_are_generated_by_their_types() {
        let schema = json!({
            "type": "object",
            "properties": {
                "email": {"type": "string", "format": "email"}, "code": {"type": "string", "pattern": "[A-Z]{2}"},
                "password": {"type": "string", "minLength": 10}, "count": {"type": "integer", "minimum": 3},
                "tags": {"type": "array", "items": {"type": "boolean"}, "minItems": 2}, "note": {"type": "string"},
                "color": {"enum": ["red", "blue"]}, "size": {"oneOf": [{"const": "s"}, {"const": "m"}]},
                "parent": {"$ref": "#/components/schemas/Parent"}, "day": {"type": ["string", "null"], "format": "date"},
            },
            "required": ["email", "code", "password", "count", "tags", "color", "size", "parent", "day", "any"],
        });
        let definitions = json!({"Parent": {"type": "object", "properties": {"id": {"type": "number"}}, "required": ["id"]}});
        let expected = json!({
            "email": "example7@example.com", "code": "HA", "password": "example7xx", "count": 3, "tags": [false, false],
            "color": "red", "size": "s", "parent": {"id": 1}, "day": "2024-01-01", "any": {},
        });
        assert_eq!(value(&schema, &definitions), Some(expected));
    }

    #[test]
    fn members_beside_a_password_have_their_known_values() {
        let members = json!({"password": "correct horse", "name": "owner"});
        let values = SchemaValues {
            definitions: &Map::new(),
            members: members.as_object().unwrap(),
            seed: 7,
        };
        let text = json!({"type": "string"});
        let login = json!({"type": "object", "properties": {"name": text, "password": text}, "required": ["name", "password"]});
        assert_eq!(values.value(&login), Some(members.clone()));
        let other = json!({"type": "object", "properties": {"name": text}, "required": ["name"]});
        assert_eq!(values.value(&other), Some(json!({"name": "example7"})));
    }

    #[test]
    fn a_schema_that_refers_to_itself_has_no_value() {
        let definitions = json!({"Tree": {"type": "object", "required": ["tree"],
            "properties": {"tree": {"$ref": "#/components/schemas/Tree"}}}});
        assert_eq!(
            value(&json!({"$ref": "#/components/schemas/Tree"}), &definitions),
            None
        );
        assert_eq!(value(&json!({"$ref": "#/elsewhere"}), &definitions), None);
        assert_eq!(value(&json!(true), &definitions), Some(json!({})));
    }
}
