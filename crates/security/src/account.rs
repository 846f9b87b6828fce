//! Whoever can log in: an application's own user model.

use model_resource::schema::json::url_text;
use model_resource::store::AnyQuery;
use model_resource::{Model, Result, Store};

use crate::secret;

/// The model of those who can log in. Their key is its primary key, of whatever type.
pub trait Account: Model + Clone {
    /// What [`hash_password`](crate::hash_password) made of the password. When it changes, every session and token that
    /// was given for the old one is worth nothing.
    fn password_hash(&self) -> &str;

    /// Whether they may do anything at all; looked at in every request.
    fn is_active(&self) -> bool;

    /// The names of their roles, without those that these include.
    fn roles(&self) -> Vec<String>;
}

/// The key, as it stands in URLs and beside what was issued.
pub(crate) fn key_text<A: Account>(account: &A) -> String {
    url_text(account.value(A::table().primary_key))
}

/// The account that a text names.
pub(crate) async fn find<A: Account>(store: &Store, key: &str) -> Result<Option<A>> {
    let Ok(key) = A::table().key().kind.parse(key) else {
        return Ok(None);
    };
    let found = store
        .find_with(&AnyQuery::from(A::table()), key, A::from_row)
        .await?;
    Ok(found.transpose()?)
}

/// What tells whether the password is still the one that something was issued for.
pub(crate) fn stamp<A: Account>(account: &A) -> Vec<u8> {
    secret::hash(account.password_hash())
}
