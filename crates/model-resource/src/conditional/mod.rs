//! Conditional requests: tags of row versions, and preconditions on them.

mod entity_tags;
mod known_versions;
mod last_modified;
mod list_tag;
mod preconditions;
mod require;
mod row_tag;
mod tagged_list;
mod tagged_reply;

pub(crate) use known_versions::KnownVersions;
pub(crate) use last_modified::last_modified;
pub(crate) use list_tag::ListTagKey;
pub(crate) use preconditions::{Preconditions, changed_at, shown_change};
#[cfg(feature = "pages")]
pub(crate) use require::REQUIRE_IF_MATCH;
pub(crate) use require::RequireIfMatch;
pub(crate) use row_tag::{RowTag, RowTagKey};
pub(crate) use tagged_list::with_list_tag;
pub(crate) use tagged_reply::with_row_tag;
