//! Checks of a document: references, schemas, and whether responses match what it says.

use jsonschema::Validator;
use serde_json::{Value, json};
use test_support::Response;

/// An OpenAPI document.
pub(crate) struct Document(pub(crate) Value);

impl Document {
    /// Operation at a path.
    pub(crate) fn operation(&self, method: &str, path: &str) -> &Value {
        let operation = &self.0["paths"][path][method];
        assert!(operation.is_object(), "no {method} {path}");
        operation
    }

    /// Names of an operation's query parameters.
    pub(crate) fn query_names(&self, method: &str, path: &str) -> Vec<&str> {
        let parameters = self.operation(method, path)["parameters"].as_array().unwrap();
        let resolved = parameters.iter().map(|parameter| self.resolved(parameter));
        let of_query = resolved.filter(|parameter| parameter["in"] == "query");
        of_query
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect()
    }

    /// Query parameter of an operation.
    pub(crate) fn query(&self, method: &str, path: &str, name: &str) -> &Value {
        let parameters = self.operation(method, path)["parameters"].as_array().unwrap();
        let mut resolved = parameters.iter().map(|parameter| self.resolved(parameter));
        let found = resolved.find(|parameter| parameter["name"] == name);
        found.unwrap_or_else(|| panic!("no parameter {name}"))
    }

    /// Shared schema.
    pub(crate) fn schema(&self, name: &str) -> &Value {
        let schema = &self.0["components"]["schemas"][name];
        assert!(schema.is_object(), "no schema {name}");
        schema
    }

    /// Target of a reference, or the part itself.
    pub(crate) fn resolved<'d>(&'d self, part: &'d Value) -> &'d Value {
        match part["$ref"].as_str() {
            Some(reference) => self.0.pointer(&reference[1..]).unwrap(),
            None => part,
        }
    }

    /// Validator of a schema of the document.
    pub(crate) fn validator(&self, schema: &Value) -> Validator {
        let whole = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": self.0["components"],
            "allOf": [schema],
        });
        jsonschema::options()
            .should_validate_formats(true)
            .build(&whole)
            .unwrap()
    }

    /// Asserts that a response has a documented status, media type and body.
    pub(crate) fn expect_documented(&self, method: &str, path: &str, response: &Response) {
        let responses = &self.operation(method, path)["responses"];
        let documented = self.resolved(&responses[response.status.as_str()]);
        assert!(
            documented.is_object(),
            "{method} {path}: {} is not documented",
            response.status
        );
        if response.body.is_empty() {
            return;
        }
        let media_type = response
            .header("content-type")
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        let content = &documented["content"][&media_type];
        assert!(
            content.is_object(),
            "{method} {path}: {media_type} is not documented"
        );
        if media_type.ends_with("json") && media_type != "application/x-ndjson" {
            let body = response.json();
            let validator = self.validator(&content["schema"]);
            let errors: Vec<String> = validator
                .iter_errors(&body)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{method} {path}: {body:#}\n{errors:?}");
        }
    }

    /// Whether the schema of a JSON body accepts a value.
    pub(crate) fn accepts(&self, method: &str, path: &str, body: &Value) -> bool {
        let content = &self.operation(method, path)["requestBody"]["content"]["application/json"];
        self.validator(&content["schema"]).is_valid(body)
    }

    /// Every part of the document, with its place.
    pub(crate) fn parts(&self) -> Vec<(String, &Value)> {
        let mut parts = Vec::new();
        collect(&self.0, String::new(), &mut parts);
        parts
    }
}

fn collect<'v>(value: &'v Value, place: String, parts: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                collect(member, format!("{place}/{name}"), parts);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{place}/{index}"), parts);
            }
        }
        _ => {}
    }
    parts.push((place, value));
}
