//! What somebody can see of the records.

use crate::column::Table;
use crate::query::{ColumnSet, Condition};

/// What somebody can see of the records; all that is not there for them, nowhere.
pub trait Sight: Send + Sync {
    /// What holds of the rows that can be seen, if not all can.
    fn rows(&self, table: &'static Table) -> Option<Condition>;

    /// The columns that cannot be seen.
    fn hidden(&self, table: &'static Table) -> ColumnSet;
}
