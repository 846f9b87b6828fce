//! Heads of requests that hyper rejects, so that no application sees them.

use std::net::IpAddr;

use http::StatusCode;

use crate::observe::log_rejected_head;
use crate::server_state::ServerState;

/// Message of hyper for a URI that is too long, which it distinguishes from other large heads by nothing else.
const URI_TOO_LONG: &str = "URI too long";

/// Counts and logs the rejected heads of a connection.
pub(super) struct RejectedHeads {
    pub(super) peer: IpAddr,
    pub(super) has_access_log: bool,
    pub(super) state: ServerState,
}

impl RejectedHeads {
    /// Counts and logs a head if its rejection is the error that has ended the connection.
    pub(super) fn record(&self, error: &hyper::Error) {
        let Some(status) = status(error) else {
            return;
        };
        self.state.reject_head();
        if self.has_access_log {
            log_rejected_head(self.peer, status);
        }
    }
}

/// Status that hyper has responded with.
fn status(error: &hyper::Error) -> Option<StatusCode> {
    if error.is_parse_too_large() {
        let is_uri = error.to_string() == URI_TOO_LONG;
        Some(if is_uri {
            StatusCode::URI_TOO_LONG
        } else {
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
        })
    } else if error.is_parse() && !error.is_parse_version_h2() {
        Some(StatusCode::BAD_REQUEST)
    } else {
        None
    }
}
