//! Articles: defaults, nullable columns and foreign keys.

use model_resource::{Fields, ModelResource, fields};

use crate::extensions::api;
use crate::models::Article;

/// All six operations on articles.
pub struct ArticleResource;

#[api::model_resource(Article, "/articles", "/articles/<int:id>")]
impl ModelResource for ArticleResource {
    const SEARCH: Fields = fields![title, summary, body];
}
