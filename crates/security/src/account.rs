//! The application's user model, and the hierarchy of roles.

use std::collections::HashMap;

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

    /// Name that pages show to the user.
    fn name(&self) -> Option<&str> {
        None
    }
}

/// Formats the key as in URLs and in stored credentials.
pub(crate) fn key_text<A: Account>(account: &A) -> String {
    url_text(account.value(A::table().primary_key))
}

/// Finds the account with this key, unless it is deleted.
pub(crate) async fn find<A: Account>(store: &Store, key: &str) -> Result<Option<A>> {
    let found: Option<A> = store.get_by_text(key).await?;
    Ok(found.filter(exists))
}

/// Whether an account is not soft-deleted.
pub(crate) fn exists<A: Account>(account: &A) -> bool {
    let deleted = A::table().soft_delete;
    deleted.is_none_or(|column| account.value(column).is_null())
}

/// Fingerprint of the password hash. A credential is valid only while it matches.
pub(crate) fn stamp<A: Account>(account: &A) -> Vec<u8> {
    secret::hash(account.password_hash())
}

/// Role hierarchy: the roles that each role includes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hierarchy(HashMap<String, Vec<String>>);

impl Hierarchy {
    pub(crate) fn add(&mut self, role: String, included: impl Iterator<Item = String>) {
        self.0.entry(role).or_default().extend(included);
    }

    /// Returns the roles and all roles that they include.
    pub(crate) fn expand(&self, mut roles: Vec<String>) -> Vec<String> {
        let mut next = 0;
        while let Some(role) = roles.get(next) {
            for included in self.0.get(role).into_iter().flatten() {
                if !roles.contains(included) {
                    roles.push(included.clone());
                }
            }
            next += 1;
        }
        roles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_includes_what_its_included_roles_include_also_in_a_circle() {
        let mut hierarchy = Hierarchy::default();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        hierarchy.add("admin".to_owned(), names(&["editor"]).into_iter());
        hierarchy.add("editor".to_owned(), names(&["author", "admin"]).into_iter());
        assert_eq!(hierarchy.expand(names(&["admin"])), ["admin", "editor", "author"]);
        assert_eq!(hierarchy.expand(names(&["author"])), ["author"]);
        assert_eq!(hierarchy.expand(Vec::new()), [""; 0]);
    }
}
