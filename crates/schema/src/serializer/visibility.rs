//! What somebody can see of the records.

use crate::column::Table;
use crate::model::Row;
use crate::query::{AnyColumns, AnyWhere, evaluate};

/// What somebody can see of the records; all that is not there for them, nowhere.
pub trait Visibility: Send + Sync {
    /// What holds of the rows that can be seen, if not all can.
    fn rows(&self, table: &'static Table) -> Option<AnyWhere>;

    /// The columns that cannot be seen.
    fn hidden(&self, table: &'static Table) -> AnyColumns;

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
    pub columns: AnyColumns,
    /// The rows on which they can be seen. Where the row itself does not decide it, they cannot.
    pub shown_on: AnyWhere,
}

impl PrivateColumns {
    /// Whether they can be seen on a row.
    pub(super) fn are_shown_on(&self, row: &dyn Row) -> bool {
        evaluate(&self.shown_on, row).unwrap_or(false)
    }
}
