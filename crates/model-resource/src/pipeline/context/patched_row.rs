//! Mark of requests that patch the row that they have read.

/// Marks a request whose changes were computed from the row that was read, and hold for that row only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatchedRow {
    /// The body had the members that the client wants to set.
    Members,
    /// The body had operations, and each member is one that they change.
    Operations,
}
