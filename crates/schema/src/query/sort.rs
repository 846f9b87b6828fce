//! Sort keys.

use crate::query::any_where::FieldPath;

/// A sort key.
#[derive(Debug, Clone)]
pub struct SortKey {
    /// Path to the value, of which each row has at most one.
    pub path: FieldPath,
    /// Whether the order is descending.
    pub descending: bool,
    /// Position of rows without the value.
    pub nulls: Nulls,
}

/// Position of rows without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// Before all others.
    First,
    /// After all others.
    Last,
}
