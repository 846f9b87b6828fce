//! Paths of the document: URLs as templates, and their parameters.

use serde_json::{Value, json};

use crate::description::{ActionDescription, ParameterDescription};
use crate::openapi::field::with_article;
use crate::openapi::json::object;

/// Path template of a URL: `/articles/{id}` for `/articles/<int:id>`.
pub(super) fn template(url: &str) -> String {
    let mut path = String::with_capacity(url.len());
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('<') {
        let (parameter, after) = after.split_once('>').unwrap_or((after, ""));
        let name = parameter.rsplit(':').next().unwrap_or(parameter);
        path.extend([before, "{", name, "}"]);
        rest = after;
    }
    path + rest
}

/// Parameters of the path.
pub(super) fn parameters(action: &ActionDescription) -> impl Iterator<Item = Value> {
    action.parameters.iter().map(parameter)
}

fn parameter(parameter: &ParameterDescription) -> Value {
    let mut described = object(json!({
        "name": parameter.name,
        "in": "path",
        "required": true,
        "schema": schema(&parameter.converter),
    }));
    if let Some(model) = parameter.model {
        let text = format!("Identifies {}.", with_article(model));
        described.insert("description".to_owned(), text.into());
    }
    Value::Object(described)
}

/// Schema of the texts that a converter accepts.
fn schema(converter: &str) -> Value {
    match converter {
        "int" => json!({"type": "integer", "format": "int64", "minimum": 0, "maximum": i64::MAX}),
        "float" => json!({"type": "string", "pattern": "^(?:0|[1-9][0-9]*)\\.[0-9]+$"}),
        "uuid" => json!({"type": "string", "format": "uuid"}),
        "path" => json!({"type": "string", "minLength": 1}),
        other => match other.strip_prefix("any(").and_then(|rest| rest.strip_suffix(')')) {
            Some(choices) => json!({"type": "string", "enum": choices.split(',').collect::<Vec<_>>()}),
            None => json!({"type": "string", "minLength": 1, "pattern": "^[^/\\u0000]+$"}),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_templates() {
        assert_eq!(template("/articles/<int:id>"), "/articles/{id}");
        assert_eq!(
            template("/t/<tenant>/a/<any(x,y):kind>.json"),
            "/t/{tenant}/a/{kind}.json"
        );
        assert_eq!(template("/plain"), "/plain");
    }
}
