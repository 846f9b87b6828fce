//! Articles: defaults, nullable columns and foreign keys.

use crate::extensions::api;
use crate::models::Article;

/// All six operations on articles.
#[api::model_resource(Article, "/articles", "/articles/<int:id>")]
pub struct ArticleResource;
