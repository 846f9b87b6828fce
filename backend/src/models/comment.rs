//! What readers say.

use model_resource::{Model, Timestamp};

use crate::models::article::Article;

/// A comment on an article.
#[derive(Debug, Clone, Model)]
#[model(table = "comments")]
pub struct Comment {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// The article.
    #[column(references = Article, on_delete = cascade)]
    pub article_id: i64,
    /// Who says it.
    #[column(min_length = 1, max_length = 64)]
    pub name: String,
    /// What is said.
    #[column(min_length = 1, max_length = 2000)]
    pub body: String,
    /// When it was said.
    #[column(created)]
    pub created_at: Timestamp,
}
