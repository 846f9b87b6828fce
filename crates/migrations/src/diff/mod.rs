//! Steps that lead from one schema to another.

mod compare;
mod plan;
mod renames;
mod types;

pub use compare::diff;
pub(crate) use types::is_castable;
