//! Comments: nested below their article, which scopes every operation.

use crate::extensions::api;
use crate::models::Comment;

/// All six operations on one article's comments.
#[api::model_resource(
    Comment,
    "/articles/<int:article_id>/comments",
    "/articles/<int:article_id>/comments/<int:id>"
)]
pub struct CommentResource;
