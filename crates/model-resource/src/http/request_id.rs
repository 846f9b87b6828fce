//! Request ids: that of the client, or a new one.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use http::{HeaderName, Request};

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Generates the request ids of an api: a random prefix of the process and a number.
pub(super) struct RequestIds {
    prefix: String,
    count: AtomicU64,
}

impl RequestIds {
    pub(super) fn new() -> Self {
        Self {
            prefix: format!("{:016x}-", uuid::Uuid::new_v4().as_u64_pair().0),
            count: AtomicU64::new(0),
        }
    }

    /// Request id of the client if it is valid, else a new one.
    pub(super) fn of(&self, request: &Request<Body>) -> String {
        let sent = request.headers().get(X_REQUEST_ID);
        let sent = sent.and_then(|value| value.to_str().ok());
        match sent {
            Some(id) if is_valid(id) => id.to_owned(),
            _ => {
                let count = self.count.fetch_add(1, Ordering::Relaxed);
                let mut number = itoa::Buffer::new();
                [self.prefix.as_str(), number.format(count)].concat()
            }
        }
    }
}

/// Whether an id of a client can be logged and sent back.
fn is_valid(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=64).contains(&id.len()) && id.bytes().all(is_plain)
}
