//! Messages from visitors to the operators.

use model_resource::{Model, Timestamp};

/// A visitor's message.
#[derive(Debug, Clone, Model)]
#[model(table = "contact_submissions")]
pub struct ContactSubmission {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// The visitor's name.
    #[column(min_length = 1, max_length = 100)]
    pub name: String,
    /// The visitor's e-mail address.
    #[column(email, max_length = 254)]
    pub email: String,
    /// The message.
    #[column(min_length = 1, max_length = 5000)]
    pub message: String,
    /// Time of creation.
    #[column(created)]
    pub created_at: Timestamp,
}
