//! Comparison of responses by their visible parts.

use serde_json::Value;
use test_support::Response;

/// Members that differ between two responses to the same request.
const OWN_MEMBERS: [&str; 7] = [
    "id",
    "createdAt",
    "updatedAt",
    "lastUsedAt",
    "token",
    "csrfToken",
    "requestId",
];
/// Headers whose values do.
const OWN_HEADERS: [&str; 7] = [
    "x-request-id",
    "date",
    "etag",
    "location",
    "content-length",
    "ratelimit",
    "set-cookie",
];

/// Returns the visible parts of a response, without the id of its request.
pub(crate) fn shown(response: &Response) -> String {
    let id = response.header("x-request-id");
    format!("{} {}", response.status, response.text().replace(id, "-"))
}

/// Returns the visible parts of a response with its headers, without what differs between two responses to the same request: keys,
/// times, secrets, versions and what is left of a rate.
pub(crate) fn shown_alike(response: &Response) -> String {
    let body = match serde_json::from_slice(&response.body) {
        Ok(mut object) => {
            mask(&mut object);
            format!("{} {object}", response.status)
        }
        Err(_) => shown(response),
    };
    let line = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        if OWN_HEADERS.contains(&name.as_str()) {
            format!("{name}: -")
        } else {
            format!("{name}: {value:?}")
        }
    };
    let mut headers: Vec<String> = response.headers.iter().map(line).collect();
    headers.sort_unstable();
    format!("{body}\n{}", headers.join(", "))
}

fn mask(shown: &mut Value) {
    match shown {
        Value::Array(elements) => elements.iter_mut().for_each(mask),
        Value::Object(members) => {
            for (name, member) in members {
                if OWN_MEMBERS.contains(&name.as_str()) {
                    *member = "-".into();
                } else {
                    mask(member);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
