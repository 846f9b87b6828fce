//! Body of a request, which is read at most once.

use axum::body::Body;

/// Body of a request, until it is taken.
pub(super) enum RequestBody {
    /// A body that was not read yet.
    Stream(Body),
    /// Text of a body that was read, for the next reader.
    Text(String),
    /// No body any more.
    Taken,
}
