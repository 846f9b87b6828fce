//! Line of the access log.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::{Method, Uri};

/// Maximum bytes of a logged path.
const MAX_PATH: usize = 1024;

/// Key of the caller, set when the caller of an observed request is determined.
pub(crate) type CallerSlot = Arc<OnceLock<String>>;

/// Parts of a request for its line in the access log. It has no query, because its values may be secret.
pub(super) struct AccessEntry {
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) client: Option<IpAddr>,
    pub(super) user: CallerSlot,
    /// Span of the request, with its id.
    pub(super) span: tracing::Span,
}

impl AccessEntry {
    /// Whether the log takes access lines now.
    pub(super) fn is_enabled() -> bool {
        tracing::enabled!(target: "access", tracing::Level::INFO)
    }

    /// Writes the line.
    pub(super) fn log(&self, route: &str, status: u16, duration: Duration, bytes: u64) {
        let path = self.uri.path();
        let path = &path[..path.floor_char_boundary(MAX_PATH)];
        let milliseconds = (duration.as_secs_f64() * 1e6).round() / 1e3;
        let user = self.user.get().map_or("-", String::as_str);
        let client = self.client.as_ref().map(tracing::field::display);
        tracing::info!(
            target: "access",
            parent: &self.span,
            method = self.method.as_str(),
            path,
            route,
            status,
            ms = milliseconds,
            bytes,
            user,
            client,
        );
    }
}

/// Writes the line of a request whose head was rejected, so that it has no method, path and route.
#[cfg(feature = "server")]
pub(crate) fn log_rejected_head(client: IpAddr, status: http::StatusCode) {
    tracing::info!(
        target: "access",
        method = "-",
        path = "-",
        route = "-",
        status = status.as_u16(),
        user = "-",
        client = %client.to_canonical(),
    );
}
