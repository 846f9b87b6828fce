//! Queries: conditions and sort keys over the fields of a table.

mod aggregate;
mod any_aggregate;
mod any_query;
mod any_where;
mod columns;
mod field;
mod group_value;
mod order_by;
pub(crate) mod predicate;
#[expect(clippy::module_inception, reason = "a query is what the module is about")]
mod query;
mod row_scope;
mod sort;
mod where_clause;

pub use aggregate::Aggregate;
pub use any_aggregate::{AnyAggregate, AnyGroupValue, CalendarUnit, GroupSort, exact_scale};
pub use any_query::AnyQuery;
pub use any_where::{AnyWhere, FieldPath, JsonKey, RelationStep};
pub use columns::{AnyColumns, Columns};
pub use group_value::{CalendarType, GroupOrder, GroupValue, Having, NumberType};
pub use order_by::OrderBy;
pub use predicate::{Comparison, Pattern, PatternPart, Predicate};
pub use query::Query;
pub use row_scope::RowScope;
pub use sort::{Nulls, SortKey};
pub use where_clause::Where;
pub(crate) use where_clause::evaluate;
