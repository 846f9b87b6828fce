//! What somebody can see of the records.

use crate::column::Table;
use crate::model::Row;
use crate::query::{ColumnSet, Condition, holds};

/// What somebody can see of the records; all that is not there for them, nowhere.
pub trait Sight: Send + Sync {
    /// What holds of the rows that can be seen, if not all can.
    fn rows(&self, table: &'static Table) -> Option<Condition>;

    /// The columns that cannot be seen.
    fn hidden(&self, table: &'static Table) -> ColumnSet;

    /// The columns that can be seen on some rows only, if there are any.
    fn private(&self, table: &'static Table) -> Option<PrivateColumns> {
        let _ = table;
        None
    }
}

/// Columns that can be seen on some rows only.
#[derive(Debug, Clone)]
pub struct PrivateColumns {
    /// The columns.
    pub columns: ColumnSet,
    /// The rows on which they can be seen. Where the row itself does not decide it, they cannot.
    pub shown_on: Condition,
}

impl PrivateColumns {
    /// Whether they can be seen on a row.
    pub(super) fn are_shown_on(&self, row: &dyn Row) -> bool {
        holds(&self.shown_on, row).unwrap_or(false)
    }
}
