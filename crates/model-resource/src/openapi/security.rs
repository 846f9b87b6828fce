//! Security schemes: how clients send their credentials, and where they need one.

use foldhash::HashSet;
use serde_json::{Map, Value, json};

use crate::access::CredentialScheme;
use crate::description::{ActionDescription, ApiDescription};

/// Credentials of an api, and the actions that are usable without one.
pub(super) struct SecuritySchemes {
    schemes: Vec<CredentialScheme>,
    has_callers: bool,
    /// URLs and methods that an anonymous caller can use.
    anonymous: HashSet<(String, String)>,
}

impl SecuritySchemes {
    /// `schemes` is `None` for an api that authenticates nobody.
    pub(super) fn new(schemes: Option<Vec<CredentialScheme>>, anonymous: &ApiDescription) -> Self {
        let actions = anonymous.actions.iter();
        Self {
            has_callers: schemes.is_some(),
            schemes: schemes.unwrap_or_default(),
            anonymous: actions
                .map(|action| (action.route.url.clone(), action.route.method.clone()))
                .collect(),
        }
    }

    /// Whether requests are authenticated, and so may be rejected.
    pub(super) fn has_callers(&self) -> bool {
        self.has_callers
    }

    /// Member `security` of an action. An empty requirement among the others means that no credential is needed.
    pub(super) fn requirement(&self, action: &ActionDescription) -> Option<Value> {
        if self.schemes.is_empty() {
            return None;
        }
        let key = (action.route.url.clone(), action.route.method.clone());
        let is_write = !matches!(action.route.method.as_str(), "GET" | "HEAD");
        let none = self.anonymous.contains(&key).then(|| json!({}));
        let known = self.schemes.iter().map(|scheme| match scheme {
            CredentialScheme::Cookie {
                csrf_header: Some(_), ..
            } if is_write => json!({"session": [], "csrf": []}),
            scheme => json!({name(scheme): []}),
        });
        Some(none.into_iter().chain(known).collect())
    }

    /// Shared security schemes, by name.
    pub(super) fn schemes(&self) -> Map<String, Value> {
        let mut schemes = Map::new();
        for scheme in &self.schemes {
            schemes.insert(name(scheme).to_owned(), described(scheme));
            if let CredentialScheme::Cookie {
                csrf_header: Some(header),
                ..
            } = scheme
            {
                let csrf = json!({
                    "type": "apiKey",
                    "in": "header",
                    "name": header,
                    "description": "CSRF token of the session, which writes with a session need.",
                });
                schemes.insert("csrf".to_owned(), csrf);
            }
        }
        schemes
    }
}

fn name(scheme: &CredentialScheme) -> &'static str {
    match scheme {
        CredentialScheme::Bearer => "bearer",
        CredentialScheme::Basic => "basic",
        CredentialScheme::Header { .. } => "key",
        CredentialScheme::Cookie { .. } => "session",
    }
}

fn described(scheme: &CredentialScheme) -> Value {
    match scheme {
        CredentialScheme::Bearer => json!({"type": "http", "scheme": "bearer"}),
        CredentialScheme::Basic => json!({"type": "http", "scheme": "basic"}),
        CredentialScheme::Header { name } => json!({"type": "apiKey", "in": "header", "name": name}),
        CredentialScheme::Cookie { name, .. } => {
            json!({"type": "apiKey", "in": "cookie", "name": name, "description": "Session of a browser."})
        }
    }
}
