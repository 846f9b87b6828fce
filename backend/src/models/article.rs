//! What the application is about.

use model_resource::{Date, Decimal, Model, Timestamp};

use crate::models::category::Category;
use crate::models::user::User;

/// An article, published or not.
#[derive(Debug, Clone, Model)]
#[model(table = "articles")]
pub struct Article {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// The title.
    #[column(min_length = 1, max_length = 200)]
    pub title: String,
    /// The title in URLs.
    #[column(slug(from = title))]
    pub slug: String,
    /// The text.
    pub body: String,
    /// The text in a few words.
    pub summary: Option<String>,
    /// Whether it can be read.
    #[column(default = false)]
    pub published: bool,
    /// How good it is.
    pub rating: Option<f64>,
    /// What it costs.
    #[column(precision = 10, scale = 2)]
    pub price: Option<Decimal>,
    /// The day of its publication.
    pub publish_date: Option<Date>,
    /// Where it is filed.
    #[column(references = Category, on_delete = set_null)]
    pub category_id: Option<i64>,
    /// Who wrote it.
    #[column(references = User, on_delete = set_null)]
    pub author_id: Option<i64>,
    /// When it was made.
    #[column(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[column(updated)]
    pub updated_at: Timestamp,
}
