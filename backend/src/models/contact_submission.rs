//! What visitors write to the makers.

use model_resource::{Model, Timestamp};

/// A message of a visitor.
#[derive(Debug, Clone, Model)]
#[model(table = "contact_submissions")]
pub struct ContactSubmission {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// Who writes.
    #[column(min_length = 1, max_length = 100)]
    pub name: String,
    /// Where to answer.
    #[column(email, max_length = 254)]
    pub email: String,
    /// The message.
    #[column(min_length = 1, max_length = 5000)]
    pub message: String,
    /// When it came.
    #[column(created)]
    pub created_at: Timestamp,
}
