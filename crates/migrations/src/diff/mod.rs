//! Steps that lead from one schema to another.

mod compare;
mod plan;
mod renames;
mod types;

pub use compare::diff;
