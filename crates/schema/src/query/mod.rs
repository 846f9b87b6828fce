//! Which rows, in which order: conditions and sort keys over the fields of a table, whoever asks for them.

mod condition;
mod path;
mod sort;

pub use condition::{Comparison, Condition, Part, Pattern, Test};
pub use path::{Hop, JsonKey, Path};
pub use sort::{Nulls, SortKey};
