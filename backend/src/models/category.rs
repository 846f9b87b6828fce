//! Categories of articles.

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
    /// The name's slug for URLs.
    #[column(slug(from = name))]
    pub slug: String,
    /// Time of creation.
    #[column(created)]
    pub created_at: Timestamp,
    /// Time of the last change.
    #[column(updated)]
    pub updated_at: Timestamp,
}
