//! Comments by readers.

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
    /// The reader's name.
    #[column(min_length = 1, max_length = 64)]
    pub name: String,
    /// The text.
    #[column(min_length = 1, max_length = 2000)]
    pub body: String,
    /// Time of creation.
    #[column(created)]
    pub created_at: Timestamp,
}
