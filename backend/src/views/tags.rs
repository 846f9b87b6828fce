//! Tags: wrapped in an envelope.

use crate::api::{CREATE, DELETE, ModelResource, Operations, PATCH};
use crate::extensions::api;
use crate::models::Tag;
use crate::serializers::TagSerializer;

/// All six operations on tags, some also in bulk.
pub struct TagResource;

#[api::model_resource(Tag, "/tags", "/tags/<int:id>", serializer = TagSerializer)]
impl ModelResource for TagResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
    const PUBLIC: bool = true;
}
