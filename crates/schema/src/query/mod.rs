//! Which rows, in which order: conditions and sort keys over the fields of a table, whoever asks for them.

mod any_where;
mod columns;
mod predicate;
mod sort;
mod where_clause;

pub use any_where::{AnyWhere, FieldPath, JsonKey, RelationStep};
pub use columns::{AnyColumns, Columns};
pub use predicate::{Comparison, Pattern, PatternPart, Predicate};
pub use sort::{Nulls, SortKey};
pub use where_clause::Where;
pub(crate) use where_clause::evaluate;
