//! Reader of the statements that create a schema.
//!
//! Both sides of a comparison are read by it: the statements that the store writes for the models, and those that SQLite
//! keeps of its tables.

pub(crate) mod column;
pub(crate) mod cursor;
mod index;
mod statement;
pub(crate) mod table;

#[cfg(feature = "sqlite")]
pub(crate) use statement::read_one;
pub(crate) use statement::{read_all, resolve_targets};
pub(crate) use statement::{read_tokens, unquoted};
