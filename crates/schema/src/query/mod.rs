//! Which rows, in which order: conditions and sort keys over the fields of a table, whoever asks for them.

mod columns;
mod condition;
mod sort;
mod test;
mod typed;

pub use columns::{AnyColumns, Columns};
pub use condition::{AnyWhere, FieldPath, JsonKey, RelationStep};
pub use sort::{Nulls, SortKey};
pub use test::{Comparison, Pattern, PatternPart, Predicate};
pub use typed::Where;
pub(crate) use typed::evaluate;
