//! Conditional requests: tags of row versions, and preconditions on them.

mod entity_tags;
mod known_versions;
mod preconditions;
mod require;
mod row_tag;

pub(crate) use known_versions::KnownVersions;
pub(crate) use preconditions::Preconditions;
pub(crate) use require::RequireIfMatch;
pub(crate) use row_tag::{RowTag, RowTagKey};
