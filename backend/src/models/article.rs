//! Articles.

use model_resource::{Date, Decimal, Model, Timestamp};

use crate::models::category::Category;
use crate::models::user::User;

/// An article, published or not.
#[derive(Debug, Clone, Model)]
#[expect(clippy::duplicated_attributes, reason = "indexes share a column")]
#[model(
    table = "articles",
    index(created_at),
    index(published, created_at),
    index(rating),
    index(category_id, created_at)
)]
pub struct Article {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// The title.
    #[column(min_length = 1, max_length = 200)]
    pub title: String,
    /// The title's slug for URLs.
    #[column(slug(from = title))]
    pub slug: String,
    /// The text.
    pub body: String,
    /// A short summary.
    pub summary: Option<String>,
    /// Whether everyone may read it.
    #[column(default = false)]
    pub published: bool,
    /// The rating.
    pub rating: Option<f64>,
    /// The price.
    #[column(precision = 10, scale = 2)]
    pub price: Option<Decimal>,
    /// The date of publication.
    pub publish_date: Option<Date>,
    /// The category.
    #[column(references = Category, on_delete = set_null)]
    pub category_id: Option<i64>,
    /// The author.
    #[column(references = User, on_delete = set_null)]
    pub author_id: Option<i64>,
    /// Time of creation.
    #[column(created)]
    pub created_at: Timestamp,
    /// Time of the last change.
    #[column(updated)]
    pub updated_at: Timestamp,
}
