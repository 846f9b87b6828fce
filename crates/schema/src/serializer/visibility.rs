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

    /// Writes of the rows of a table together with their parent, as descriptions show them.
    fn related_writes(&self, table: &'static Table) -> RelatedWrites {
        let _ = table;
        RelatedWrites::OPEN
    }
}

/// Writes of a table's rows together with their parent that a caller may make on some rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelatedWrites {
    /// Whether rows can be created.
    pub can_add: bool,
    /// Whether existing rows can be changed.
    pub can_change: bool,
    /// Whether existing rows can be removed.
    pub can_remove: bool,
    /// Columns that cannot be set on new rows.
    pub unset_on_create: AnyColumns,
    /// Columns that cannot be set on existing rows.
    pub unset_on_update: AnyColumns,
    /// Columns that the policy presets on new rows.
    pub presets: AnyColumns,
}

impl RelatedWrites {
    /// Writes without a policy.
    pub const OPEN: Self = Self {
        can_add: true,
        can_change: true,
        can_remove: true,
        unset_on_create: AnyColumns::NONE,
        unset_on_update: AnyColumns::NONE,
        presets: AnyColumns::NONE,
    };
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
    pub fn are_shown_on(&self, row: &dyn Row) -> bool {
        evaluate(&self.shown_on, row).unwrap_or(false)
    }
}
