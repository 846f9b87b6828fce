//! The requests of the scenarios.

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};
use test_support::{Client, Response};

use crate::browser::soon;
use crate::scenarios::world::World;

/// A request, independent of the caller.
pub(super) struct Asked {
    pub(super) method: &'static str,
    path: String,
    body: Option<Bytes>,
}

impl Asked {
    /// Returns a valid request for a row of the table.
    pub(super) fn new(world: &World, method: &'static str, url: &'static str, row: &'static str) -> Self {
        let (is_many, row) = match row.strip_prefix("many") {
            Some(row) => (true, row.strip_prefix(':').unwrap_or("-")),
            None => (false, row),
        };
        let resource = resource(url);
        let keys = world.keys(resource, row);
        let first = keys.first().cloned().unwrap_or_default();
        let mut path = format!("/api/v1{}", filled(url, &first));
        let depth = url.matches('<').count();
        let own: Vec<Value> = keys.iter().filter_map(|keys| keys.get(depth).cloned()).collect();
        let object = match (method, resource) {
            ("PUT" | "PATCH", "/auth/users") => changed_user(),
            _ => object(resource),
        };
        let body = match (method, is_many) {
            ("POST", true) => Some(many(resource, vec![object])),
            ("PUT" | "PATCH", true) => {
                let named = |key: &Value| {
                    let mut object = object.clone();
                    object["id"] = key.clone();
                    object
                };
                Some(many(resource, own.iter().map(named).collect()))
            }
            ("DELETE", true) => {
                let ids: Vec<String> = own.iter().map(|key| format!("id={}", text(key))).collect();
                path = format!("{path}?{}", ids.join("&"));
                None
            }
            ("POST" | "PUT" | "PATCH", false) => Some(one(resource, object)),
            _ => None,
        };
        let body = body.map(|body| body.to_string().into());
        Self { method, path, body }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether this changes several objects that its body names.
    pub(super) fn changes_many(&self) -> bool {
        let is_change = matches!(self.method, "PUT" | "PATCH");
        is_change && self.objects().is_some()
    }

    /// Returns the same request with the version of each object.
    pub(super) fn with_versions(&self, version: impl Fn(&Value) -> String) -> Self {
        let mut body: Value = serde_json::from_slice(self.body.as_ref().unwrap()).unwrap();
        let objects = match &mut body {
            Value::Object(envelope) => envelope.values_mut().next().unwrap(),
            list => list,
        };
        for object in objects.as_array_mut().unwrap() {
            object["version"] = version(&object["id"]).into();
        }
        Self {
            body: Some(body.to_string().into()),
            path: self.path.clone(),
            ..*self
        }
    }

    /// Keys of the objects in the body, if it has several.
    pub(super) fn keys(&self) -> Vec<Value> {
        let objects = self.objects().unwrap_or_default();
        objects.iter().map(|object| object["id"].clone()).collect()
    }

    fn objects(&self) -> Option<Vec<Value>> {
        let body: Value = serde_json::from_slice(self.body.as_ref()?).unwrap();
        let objects = match body {
            Value::Object(envelope) => envelope.into_values().next()?,
            list => list,
        };
        match objects {
            Value::Array(objects) => Some(objects),
            _ => None,
        }
    }

    pub(super) async fn send(&self, client: &Client) -> Response {
        let body = self.body.clone().map(|body| ("application/json", body));
        client
            .send(
                Method::from_bytes(self.method.as_bytes()).unwrap(),
                &self.path,
                body,
            )
            .await
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// Returns the URL that identifies the rows and bodies of a resource or a view.
fn resource(url: &'static str) -> &'static str {
    if url.starts_with("/auth/users") {
        return "/auth/users";
    }
    match url.rsplit_once("/<") {
        Some((list, rest)) if !rest.contains('/') => list,
        _ => url,
    }
}

/// Returns a new object to write.
pub(super) fn object(resource: &str) -> Value {
    match resource {
        "/categories" | "/tags" => json!({"name": "after"}),
        "/articles" => json!({"title": "After", "body": "Another text."}),
        "/articles/<int:article_id>/comments" => json!({"name": "Another", "body": "I do not."}),
        "/contact-submissions" => json!({"name": "A visitor", "email": "v@example.com", "message": "Hello!"}),
        "/samples" => json!({
            "flag": true, "small": 1, "number": 1, "big": 1, "single": 0.5, "ratio": 0.5, "text": "after", "blob": "AAEC",
            "amount": "1.5", "day": "2024-02-29", "clock": "12:00:00", "moment": "2024-02-29T12:00:00Z",
            "token": "0191d5f0-c0de-7000-8000-00000000abcd", "extra": {}, "color": "red",
        }),
        "/auth/users" => json!({"email": "new@example.com", "username": "new", "password": "battery staple"}),
        "/auth/login" => json!({"email": "owner", "password": "correct horse"}),
        "/auth/password" => json!({"password": "correct horse", "newPassword": "battery staple"}),
        "/auth/tokens" => json!({"name": "another", "expiresAt": soon()}),
        _ => json!({}),
    }
}

/// Returns a body that changes an account's names and password, with the old one.
fn changed_user() -> Value {
    let mut user = object("/auth/users");
    user["oldPassword"] = json!("correct horse");
    user
}

/// Wraps one object as the resource expects it.
pub(super) fn one(resource: &str, object: Value) -> Value {
    match resource {
        "/tags" => json!({ "tag": object }),
        "/contact-submissions" => json!({ "contactSubmission": object }),
        _ => object,
    }
}

fn many(resource: &str, objects: Vec<Value>) -> Value {
    match resource {
        "/tags" => json!({ "tags": objects }),
        _ => objects.into(),
    }
}

/// Fills the URL's placeholders with the first keys.
fn filled(url: &str, keys: &[Value]) -> String {
    let mut keys = keys.iter();
    let segment = |segment: &str| {
        if segment.starts_with('<') {
            text(keys.next().unwrap_or_else(|| panic!("no row for {url}")))
        } else {
            segment.to_owned()
        }
    };
    let segments: Vec<String> = url.split('/').map(segment).collect();
    segments.join("/")
}

fn text(key: &Value) -> String {
    key.as_str().map_or_else(|| key.to_string(), str::to_owned)
}
