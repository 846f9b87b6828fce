//! A response, and assertions of it.

use std::path::Path;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::json_difference::{Members, differences};
use crate::snapshot::{assert_json_snapshot, assert_snapshot};
use crate::statements::StatementCount;

/// Maximum characters of a body in a message.
const MAX_BODY: usize = 4000;

/// Response, read to its end. Each assertion returns it, so that they can be chained, and each of its messages names the
/// request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TestResponse {
    /// Status code.
    pub status: StatusCode,
    /// All headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
    /// Method and path of the request.
    pub request: String,
    /// SQL statements of the request; `None` for a client of another process.
    pub statements: Option<StatementCount>,
}

impl TestResponse {
    /// Parses the JSON body: `.json::<Book>()`, or `.json::<Value>()` for any document.
    ///
    /// # Panics
    /// If the body is not JSON of this type.
    #[track_caller]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            let kind = std::any::type_name::<T>();
            panic!(
                "{}: the body is no JSON of {kind}: {error}\n{}",
                self.request,
                self.shown()
            )
        })
    }

    /// Body as text. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Value of a header; empty if it is absent or not text.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    }

    /// Asserts the status; the message has the body.
    #[track_caller]
    pub fn assert_status(self, status: u16) -> Self {
        if self.status.as_u16() != status {
            panic!(
                "{}: expected the status {status}, found {}\n{}",
                self.request,
                self.status,
                self.shown()
            );
        }
        self
    }

    /// Asserts a header.
    #[track_caller]
    pub fn assert_header(self, name: &str, value: &str) -> Self {
        let found: Vec<&[u8]> = self
            .headers
            .get_all(name)
            .iter()
            .map(|value| value.as_bytes())
            .collect();
        if found != [value.as_bytes()] {
            let found: Vec<_> = found.into_iter().map(String::from_utf8_lossy).collect();
            panic!(
                "{}: expected the header {name}: {value:?}, found {found:?}",
                self.request
            );
        }
        self
    }

    /// Asserts members of the JSON body. Objects may have other members as well, at any depth; arrays have exactly the
    /// expected number of elements, in their order.
    #[track_caller]
    pub fn assert_json(self, expected: Value) -> Self {
        self.compare(&expected, Members::AtLeast);
        self
    }

    /// Asserts the whole JSON body: objects have the expected members alone.
    #[track_caller]
    pub fn assert_json_exact(self, expected: Value) -> Self {
        self.compare(&expected, Members::Exactly);
        self
    }

    #[track_caller]
    fn compare(&self, expected: &Value, members: Members) {
        let lines = differences(expected, &self.json(), members);
        if !lines.is_empty() {
            panic!(
                "{}: the JSON is not as expected:\n  {}\n{}",
                self.request,
                lines.join("\n  "),
                self.shown()
            );
        }
    }

    /// Asserts the number of SQL statements of the request; see [`assert_statements!`](crate::assert_statements!).
    ///
    /// # Panics
    /// If the client has no store to count the statements of.
    #[track_caller]
    pub fn assert_statements(self, count: u64) -> Self {
        let Some(statements) = self.statements else {
            panic!("{}: only the statements of a `TestApp` are counted", self.request);
        };
        if statements.total() != count {
            panic!(
                "{}: expected {count} SQL statements, found {statements}",
                self.request
            );
        }
        self
    }

    /// Asserts that the body equals a file, as [`assert_snapshot`] does; JSON is written with a line per member. With
    /// `UPDATE_SNAPSHOTS=1` in the environment the file is written instead.
    #[track_caller]
    pub fn assert_snapshot(self, file: impl AsRef<Path>) -> Self {
        match serde_json::from_slice::<Value>(&self.body) {
            Ok(value) => assert_json_snapshot(file, &value),
            Err(_) => assert_snapshot(file, &self.text()),
        }
        self
    }

    /// Body for a message: JSON with a line per member.
    fn shown(&self) -> String {
        let json = serde_json::from_slice::<Value>(&self.body);
        let text = json.and_then(|value| serde_json::to_string_pretty(&value));
        let text = text.unwrap_or_else(|_| self.text());
        match text.char_indices().nth(MAX_BODY) {
            Some((end, _)) => format!("{}..", &text[..end]),
            None => text,
        }
    }
}
