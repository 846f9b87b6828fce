//! Users and their accounts.

use model_resource::{Model, Timestamp};

/// A user of the application.
#[derive(Debug, Clone, Model)]
#[model(table = "users")]
pub struct User {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// The e-mail address in lower case. Users can log in with it.
    #[column(unique, email, max_length = 254)]
    pub email: String,
    /// The public user name: letters, digits, `.`, `_` and `-`, in lower case and NFC. Users can log in with it.
    #[column(unique, min_length = 3, max_length = 64)]
    pub username: String,
    /// The given name.
    #[column(max_length = 64)]
    pub first_name: Option<String>,
    /// The family name.
    #[column(max_length = 64)]
    pub last_name: Option<String>,
    /// The argon2 hash of the password.
    #[column(hidden)]
    pub password_hash: String,
    /// Whether the user may log in.
    #[column(hidden, default = true)]
    pub is_active: bool,
    /// The names of the user's roles, separated by spaces.
    #[column(hidden, default = "")]
    pub roles: String,
    /// Time of creation.
    #[column(created)]
    pub created_at: Timestamp,
    /// Time of the last change.
    #[column(updated)]
    pub updated_at: Timestamp,
}
