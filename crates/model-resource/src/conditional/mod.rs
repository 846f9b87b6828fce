//! Conditional requests: tags of row versions, and preconditions on them.

mod entity_tags;
mod known_versions;
mod preconditions;
mod require;
mod row_tag;
mod tagged_reply;

pub(crate) use known_versions::KnownVersions;
pub(crate) use preconditions::Preconditions;
pub(crate) use require::RequireIfMatch;
pub(crate) use row_tag::{RowTag, RowTagKey};
pub(crate) use tagged_reply::with_row_tag;
