//! URLs with parameters: how they are written, matched and built.

mod converter;
mod rule;
mod table;
mod urls;

pub use rule::Params;

pub(crate) use rule::{Rule, Segment};
pub(crate) use table::Table;
pub(crate) use urls::Urls;
