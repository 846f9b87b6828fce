//! Mark of requests that patch the row that they have read.

/// Marks a request whose changes were computed from the row that was read, and hold for that row only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatchedRow;
