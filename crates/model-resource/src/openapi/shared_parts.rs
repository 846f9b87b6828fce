//! Parameters, responses and headers that several operations refer to.

use serde_json::{Map, Value, json};

use crate::openapi::filter::FilterSchemas;
use crate::openapi::json::reference;

/// Shared parts of a document, each added with its first use.
#[derive(Default)]
pub(super) struct SharedParts {
    pub(super) parameters: Map<String, Value>,
    pub(super) responses: Map<String, Value>,
    pub(super) headers: Map<String, Value>,
    pub(super) filters: FilterSchemas,
}

impl SharedParts {
    /// Refers to a parameter.
    pub(super) fn parameter(&mut self, name: &str, define: fn(&str) -> Value) -> Value {
        if !self.parameters.contains_key(name) {
            self.parameters.insert(name.to_owned(), define(name));
        }
        reference("parameters", name)
    }

    /// Refers to a response.
    pub(super) fn response(&mut self, name: &str, define: impl FnOnce(&mut Self) -> Value) -> Value {
        if !self.responses.contains_key(name) {
            let response = define(self);
            self.responses.insert(name.to_owned(), response);
        }
        reference("responses", name)
    }

    /// Refers to the headers of a response: the one of all responses, and its own.
    pub(super) fn headers(&mut self, own: &[&'static str]) -> Map<String, Value> {
        let names = ["X-Request-Id"].into_iter().chain(own.iter().copied());
        let headers = names.map(|name| {
            if !self.headers.contains_key(name) {
                self.headers.insert(name.to_owned(), header(name));
            }
            (name.to_owned(), reference("headers", name))
        });
        headers.collect()
    }
}

fn header(name: &str) -> Value {
    let description = match name {
        "X-Request-Id" => "Id of the request in the log.",
        "Location" => "URL of the new object.",
        "Link" => "Links to other pages: `first`, `prev`, `next` and `last` (RFC 8288).",
        "X-Total-Count" => "Number of objects on all pages.",
        "Content-Range" => "Positions of the objects of this page, and the total: `items 0-24/100`.",
        "Retry-After" => "Seconds until the next attempt.",
        "WWW-Authenticate" => "Authentication scheme of the api.",
        "RateLimit" => "What is left of the rate limit.",
        "RateLimit-Policy" => "Rate limit of the URL.",
        "Preference-Applied" => "Preference of the request that was applied (RFC 7240).",
        _ => "",
    };
    let schema = match name {
        "X-Total-Count" | "Retry-After" => json!({"type": "integer", "minimum": 0}),
        _ => json!({"type": "string"}),
    };
    json!({"description": description, "schema": schema})
}
