//! The application's user model.

use model_resource::schema::json::url_text;
use model_resource::{Model, Result, Store};

use crate::secret;

/// User model of an application. Its primary key, of any type, identifies the caller.
pub trait Account: Model + Clone {
    /// Password hash, created by [`hash_password`](crate::hash_password). When it changes, every session and token
    /// issued before becomes invalid.
    fn password_hash(&self) -> &str;

    /// Whether the account is enabled; checked in every request.
    fn is_active(&self) -> bool;

    /// Names of the assigned roles, without the roles that these include.
    fn roles(&self) -> Vec<String>;
}

/// Formats the key as in URLs and in stored credentials.
pub(crate) fn key_text<A: Account>(account: &A) -> String {
    url_text(account.value(A::table().primary_key))
}

/// Finds the account with this key.
pub(crate) async fn find<A: Account>(store: &Store, key: &str) -> Result<Option<A>> {
    Ok(store.get_by_text(key).await?)
}

/// Fingerprint of the password hash. A credential is valid only while it matches.
pub(crate) fn stamp<A: Account>(account: &A) -> Vec<u8> {
    secret::hash(account.password_hash())
}
