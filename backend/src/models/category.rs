//! What an article is filed under.

use model_resource::{Model, Timestamp};

/// A category of articles.
#[derive(Debug, Clone, Model)]
#[model(table = "categories")]
pub struct Category {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// The name.
    #[column(unique, min_length = 1, max_length = 100)]
    pub name: String,
    /// The name in URLs.
    #[column(slug(from = name))]
    pub slug: String,
    /// When it was made.
    #[column(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[column(updated)]
    pub updated_at: Timestamp,
}
