//! Articles: defaults, nullable columns and foreign keys.

use crate::api::{CREATE, Columns, DELETE, ModelResource, Operations, PATCH, PUT};
use crate::extensions::api;
use crate::models::Article;
use crate::policies::ArticlePolicy;
use crate::serializers::ArticleSerializer;

/// All six operations on articles, with bulk writes.
pub struct ArticleResource;

#[api::model_resource(Article, "/articles", "/articles/<int:id>", serializer = ArticleSerializer, policy = ArticlePolicy)]
impl ModelResource for ArticleResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
    const SEARCH: Columns<Article> = Columns::of(Article::TITLE)
        .and(Article::SUMMARY)
        .and(Article::BODY);
    const AGGREGATE: Columns<Article> = Columns::of(Article::CATEGORY_ID)
        .and(Article::AUTHOR_ID)
        .and(Article::PUBLISHED)
        .and(Article::RATING)
        .and(Article::PRICE)
        .and(Article::PUBLISH_DATE)
        .and(Article::CREATED_AT);
}
