//! Row and column visibility.

use crate::column::Table;
use crate::model::Row;
use crate::query::{AnyColumns, AnyWhere, evaluate};

/// Row and column visibility for one caller. Anything not visible is treated as nonexistent everywhere.
pub trait Visibility: Send + Sync {
    /// Filter of the visible rows; `None` if all are visible.
    fn rows(&self, table: &'static Table) -> Option<AnyWhere>;

    /// Columns that are not visible.
    fn hidden(&self, table: &'static Table) -> AnyColumns;

    /// Columns that are visible on some rows only, if any.
    fn private(&self, table: &'static Table) -> Option<PrivateColumns> {
        let _ = table;
        None
    }
}

/// Columns that are visible on some rows only.
#[derive(Debug, Clone)]
pub struct PrivateColumns {
    /// Private columns.
    pub columns: AnyColumns,
    /// Rows on which they are visible. If the row itself does not decide it, they are hidden.
    pub shown_on: AnyWhere,
}

impl PrivateColumns {
    /// Whether the columns are visible on a row.
    pub(super) fn are_shown_on(&self, row: &dyn Row) -> bool {
        evaluate(&self.shown_on, row).unwrap_or(false)
    }
}
