//! Which rows, in which order: conditions and sort keys over the fields of a table, whoever asks for them.

mod columns;
mod condition;
mod sort;
mod test;
mod typed;

pub use columns::{ColumnSet, Columns};
pub use condition::{Condition, Hop, JsonKey, Path};
pub use sort::{Nulls, SortKey};
pub use test::{Comparison, Part, Pattern, Test};
pub use typed::Where;
pub(crate) use typed::holds;
