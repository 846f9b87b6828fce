//! What a client shows instead of a password.

use model_resource::{Model, Timestamp};

use crate::models::user::User;

/// A bearer token, known only by its hash.
#[derive(Debug, Clone, Model)]
#[model(table = "auth_tokens")]
pub struct AuthToken {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// Whose it is.
    #[column(references = User, on_delete = cascade)]
    pub user_id: i64,
    /// The SHA-256 of the token and of the password it was given for.
    #[column(hidden, unique)]
    pub token_hash: Vec<u8>,
    /// When it was given.
    #[column(created)]
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}
