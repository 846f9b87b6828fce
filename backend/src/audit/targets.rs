//! Example rows and bodies for each URL: the table to extend with every new resource or view.

use std::fmt::Display;
use std::time::Duration;

use model_resource::Timestamp;
use serde_json::{Value, json};

use crate::audit::fixture::{
    CATEGORY, COMMENT, DRAFT, DRAFT_COMMENT, OWNER, PUBLISHED, SAMPLE, SESSION, TAG, TOKEN,
};

/// The password of every account.
pub(super) const PASSWORD: &str = "correct horse";

/// A resource or a view with the examples of its requests.
pub(super) struct AuditTarget {
    /// The URL below the api's prefix. For a resource, the URL of its list, which also covers the URLs of its objects.
    pub(super) url: &'static str,
    /// Rows whose states matter for access.
    pub(super) rows: Vec<TargetRow>,
    /// Valid body of POST, PUT and PATCH.
    pub(super) body: Option<Value>,
    /// Body of PUT and PATCH, if it differs from that of POST.
    pub(super) change: Option<Value>,
    /// Envelope keys for one object and for many.
    pub(super) envelope: Option<(&'static str, &'static str)>,
}

/// A row of the fixture.
pub(super) struct TargetRow {
    /// State of the row. Empty if only one state exists.
    pub(super) name: &'static str,
    /// The URL's parameters; the row's own key is last.
    pub(super) params: Vec<String>,
}

/// Returns the examples of everything that is served.
pub(super) fn targets() -> Vec<AuditTarget> {
    let sample = json!({
        "flag": true, "small": 1, "number": 1, "big": 1, "single": 0.5, "ratio": 0.5, "text": "A text.", "blob": "AAEC",
        "amount": "1.5", "day": "2024-02-29", "clock": "12:00:00", "moment": "2024-02-29T12:00:00Z",
        "token": SAMPLE.to_string(), "extra": {}, "color": "red",
    });
    let new_user = json!({"email": "new@example.com", "username": "new", "password": PASSWORD});
    let changed_user = json!({
        "email": "new@example.com", "username": "new", "password": "battery staple", "oldPassword": PASSWORD,
    });
    let submission = json!({"name": "A visitor", "email": "visitor@example.com", "message": "Hello!"});
    let tomorrow = Timestamp::now() + Duration::from_secs(24 * 3600);
    vec![
        AuditTarget::at("/categories")
            .row("", [CATEGORY])
            .body(json!({"name": "Travel"})),
        AuditTarget::at("/articles")
            .row("published", [PUBLISHED])
            .row("draft", [DRAFT])
            .body(json!({"title": "A title", "body": "A text."})),
        AuditTarget::at("/articles/<int:article_id>/comments")
            .row("published", [PUBLISHED, COMMENT])
            .row("draft", [DRAFT, DRAFT_COMMENT])
            .body(json!({"name": "A reader", "body": "A word."})),
        AuditTarget::at("/tags")
            .row("", [TAG])
            .body(json!({"name": "quiet"}))
            .in_envelope("tag", "tags"),
        AuditTarget::at("/contact-submissions")
            .body(submission)
            .in_envelope("contactSubmission", "contactSubmissions"),
        AuditTarget::at("/samples").row("", [SAMPLE]).body(sample),
        AuditTarget::at("/auth/users")
            .row("", [OWNER])
            .body(new_user)
            .change(changed_user),
        AuditTarget::at("/auth/users/<int:id>/disable")
            .row("", [OWNER])
            .body(json!({})),
        AuditTarget::at("/auth/users/<int:id>/enable")
            .row("", [OWNER])
            .body(json!({})),
        AuditTarget::at("/auth/login").body(json!({"email": "owner", "password": PASSWORD})),
        AuditTarget::at("/auth/logout").body(json!({})),
        AuditTarget::at("/auth/status"),
        AuditTarget::at("/auth/password")
            .body(json!({"password": PASSWORD, "newPassword": "battery staple"})),
        AuditTarget::at("/auth/tokens")
            .row("", [TOKEN])
            .body(json!({"name": "another", "expiresAt": tomorrow.to_string()})),
        AuditTarget::at("/auth/sessions").row("", [SESSION]),
    ]
}

impl AuditTarget {
    fn at(url: &'static str) -> Self {
        Self {
            url,
            rows: Vec::new(),
            body: None,
            change: None,
            envelope: None,
        }
    }

    fn row<const N: usize>(mut self, name: &'static str, params: [impl Display; N]) -> Self {
        let params = params.iter().map(ToString::to_string).collect();
        self.rows.push(TargetRow { name, params });
        self
    }

    fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    fn change(mut self, change: Value) -> Self {
        self.change = Some(change);
        self
    }

    fn in_envelope(mut self, one: &'static str, many: &'static str) -> Self {
        self.envelope = Some((one, many));
        self
    }

    /// Whether a URL below the prefix is this one, or the URL of one of its objects.
    pub(super) fn is_at(&self, url: &str) -> bool {
        let Some(rest) = url.strip_prefix(self.url) else {
            return false;
        };
        rest.is_empty() || (rest.starts_with("/<") && rest.ends_with('>') && rest.matches('/').count() == 1)
    }
}
