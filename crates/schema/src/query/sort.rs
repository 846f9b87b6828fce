//! The order of rows.

use crate::query::any_where::FieldPath;

/// One value that rows are ordered by.
#[derive(Debug, Clone)]
pub struct SortKey {
    /// The value, of which each row has at most one.
    pub path: FieldPath,
    /// Whether the greatest comes first.
    pub descending: bool,
    /// Where rows without the value go.
    pub nulls: Nulls,
}

/// Where rows without a value go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// Before all others.
    First,
    /// After all others.
    Last,
}
