//! Prices of list queries: estimates of the work they cause, from the sizes of tables and their indexes.

mod missing_index;
mod pricing;
mod weight;

pub use pricing::QueryPricing;
