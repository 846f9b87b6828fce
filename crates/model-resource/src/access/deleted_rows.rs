//! Choice of deleted rows.

/// Deleted rows among those that a request uses. They exist only for callers whom the policy shows them to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeletedRows {
    /// Rows that are not deleted.
    Excluded,
    /// Rows that are deleted, and rows that are not.
    Included,
    /// Rows that are deleted.
    Only,
}
