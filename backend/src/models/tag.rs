//! Tags of articles.

use model_resource::Model;

/// A tag.
#[derive(Debug, Clone, Model)]
#[model(table = "tags")]
pub struct Tag {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// The name.
    #[column(unique, min_length = 1, max_length = 50)]
    pub name: String,
}
