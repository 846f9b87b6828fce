//! Comments: nested below their article, which scopes every operation.

use crate::api::{CREATE, DELETE, ModelResource, Operations, PATCH, operations};
use crate::extensions::api;
use crate::models::Comment;

/// All six operations on one article's comments, some also in bulk.
pub struct CommentResource;

#[api::model_resource(
    Comment,
    "/articles/<int:article_id>/comments",
    "/articles/<int:article_id>/comments/<int:id>"
)]
impl ModelResource for CommentResource {
    const BULK_METHODS: Operations = operations![CREATE, PATCH, DELETE];
}
