//! Articles: defaults, nullable columns and foreign keys.

use model_resource::{Fields, fields};

use crate::api::{CREATE, DELETE, ModelResource, Operations, PATCH, PUT, operations};
use crate::extensions::api;
use crate::models::Article;
use crate::policies::ArticlePolicy;
use crate::serializers::ArticleSerializer;

/// All six operations on articles, with bulk writes.
pub struct ArticleResource;

#[api::model_resource(Article, "/articles", "/articles/<int:id>", serializer = ArticleSerializer, policy = ArticlePolicy)]
impl ModelResource for ArticleResource {
    const BULK_METHODS: Operations = operations![CREATE, PUT, PATCH, DELETE];
    const SEARCH: Fields = fields![title, summary, body];
}
