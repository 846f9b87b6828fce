//! Parameters, responses and headers that several operations refer to.

use serde_json::{Value, json};

use crate::openapi::components::ComponentTexts;
use crate::openapi::filter::FilterSchemas;
use crate::openapi::json::Reference;
use crate::openapi::json_writer::{JsonObjectWriter, text};

/// Shared parts of a document, each added with its first use.
#[derive(Default)]
pub(super) struct SharedParts {
    pub(super) parameters: ComponentTexts,
    pub(super) responses: ComponentTexts,
    pub(super) headers: ComponentTexts,
    pub(super) filters: FilterSchemas,
}

impl SharedParts {
    /// Refers to a parameter.
    pub(super) fn parameter<'n>(&mut self, name: &'n str, define: fn(&str) -> Value) -> Reference<'n> {
        if !self.parameters.contains_key(name) {
            self.parameters
                .insert(name.to_owned(), text(&define(name)).into());
        }
        Reference::new("parameters", name)
    }

    /// Refers to a response, whose text is defined with its first use.
    pub(super) fn response<'n>(
        &mut self,
        name: &'n str,
        define: impl FnOnce(&mut Self) -> Vec<u8>,
    ) -> Reference<'n> {
        if !self.responses.contains_key(name) {
            let response = define(self);
            self.responses.insert(name.to_owned(), response.into());
        }
        Reference::new("responses", name)
    }

    /// Writes the headers of a response: the one of all responses, and its own.
    pub(super) fn write_headers(&mut self, own: &[&'static str], response: &mut JsonObjectWriter<'_>) {
        response.object("headers", |headers| {
            for name in ["X-Request-Id"].into_iter().chain(own.iter().copied()) {
                if !self.headers.contains_key(name) {
                    self.headers.insert(name.to_owned(), text(&header(name)).into());
                }
                headers.member(name, &Reference::new("headers", name));
            }
        });
    }
}

fn header(name: &str) -> Value {
    let description = match name {
        "X-Request-Id" => "Id of the request in the log.",
        "ETag" => {
            "Version of the object, for `If-Match` and `If-None-Match`; of a page of a list, for `If-None-Match`."
        }
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
