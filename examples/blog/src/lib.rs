//! A blog: categories, series, tags, users, and articles that are identified by their slug.
//!
//! It has no handlers. The last parameter of a URL names the column that identifies the row, the parameters before it
//! limit the rows, and the models declare how values are normalized, validated and named. `transcript.md` shows the
//! requests.

mod access;
mod models;
mod resources;

pub use resources::api;
