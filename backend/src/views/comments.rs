//! Comments: nested below their article, which scopes every operation.

use crate::api::{CREATE, DELETE, ModelResource, Operations, PATCH};
use crate::extensions::api;
use crate::models::Comment;
use crate::policies::CommentPolicy;
use crate::serializers::CommentSerializer;

/// All six operations on one article's comments, some also in bulk.
pub struct CommentResource;

#[api::model_resource(
    Comment,
    "/articles/<int:article_id>/comments",
    "/articles/<int:article_id>/comments/<int:id>",
    serializer = CommentSerializer,
    policy = CommentPolicy
)]
impl ModelResource for CommentResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
}
