//! Tags: wrapped in an envelope.

use crate::extensions::api;
use crate::models::Tag;

/// All six operations on tags.
#[api::model_resource(Tag, "/tags", "/tags/<int:id>")]
pub struct TagResource;
