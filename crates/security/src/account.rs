//! The application's user model, and the hierarchy of roles.

use std::collections::HashMap;

use model_resource::schema::json::url_text;
use model_resource::schema::value::Value;
use model_resource::{Field, Model, Result, Store, ValueRef};

use crate::column_text::text;
use crate::roles::Roles;
use crate::secret;

/// Maximum characters of a password.
pub const MAX_PASSWORD: usize = 128;

/// User model of an application. Its primary key, of any type, identifies the caller.
///
/// The constants name the columns of the account. The account routes ([`Security::routes`](crate::Security::routes)) and
/// the commands `user ..` of `model-resource-cli` use them. The functions read the columns; override one to compute its
/// value otherwise.
///
/// ```
/// use model_resource::{Field, Model};
/// use model_resource_security::{Account, Roles};
///
/// #[derive(Debug, Clone, Model)]
/// struct User {
///     #[column(primary_key)]
///     id: i64,
///     #[column(unique, email)]
///     email: String,
///     #[column(hidden)]
///     password_hash: String,
///     #[column(hidden, default = true)]
///     is_active: bool,
///     #[column(hidden, default = "")]
///     roles: String,
/// }
///
/// impl Account for User {
///     const LOGIN_NAMES: &'static [Field<Self, String>] = &[User::EMAIL];
///     const PASSWORD_HASH: Field<Self, String> = User::PASSWORD_HASH;
///     const ACTIVE: Option<Field<Self, bool>> = Some(User::IS_ACTIVE);
///     const ROLES: Roles<Self> = Roles::words(User::ROLES).known(&["admin"]);
/// }
/// ```
pub trait Account: Model + Clone {
    /// Unique columns with the login names. Names are stored and looked up in the form of
    /// [`normalize_name`](crate::normalize_name). A column that is declared `email` holds e-mail addresses, any other
    /// column user names ([`check_username`](crate::check_username)). With columns of both kinds, a name with `@` is
    /// looked up among the e-mail addresses, and any other name among the user names.
    const LOGIN_NAMES: &'static [Field<Self, String>];

    /// Column of the password hash, created by [`hash_password`](crate::hash_password). When it changes, every session
    /// and token issued before becomes invalid.
    const PASSWORD_HASH: Field<Self, String>;

    /// Column that is true for an enabled account. Without it, accounts cannot be disabled.
    const ACTIVE: Option<Field<Self, bool>> = None;

    /// Storage of the roles: a column, or separate tables.
    const ROLES: Roles<Self> = Roles::none();

    /// Minimum characters of a password.
    const MIN_PASSWORD: usize = 8;

    /// Password hash of the account.
    fn password_hash(&self) -> &str {
        text(self, Self::PASSWORD_HASH)
    }

    /// Whether the account is enabled; checked in every request.
    fn is_active(&self) -> bool {
        let is_set = |column: Field<Self, bool>| self.value(column.position()) == ValueRef::Bool(true);
        Self::ACTIVE.is_none_or(is_set)
    }

    /// Names of the roles in the columns of the account, without the roles that these include. Roles in tables are read
    /// separately.
    fn roles(&self) -> Vec<String> {
        Self::ROLES.in_columns(self)
    }

    /// Name that pages show to the user: by default the first login name that is not an e-mail address, or else the first
    /// one.
    fn name(&self) -> Option<&str> {
        let names = Self::LOGIN_NAMES;
        let user_name = names.iter().find(|name| !name.column().email);
        let name = user_name.or(names.first())?;
        Some(text(self, *name))
    }

    /// Checks a new password: its length by default. Fails with a message for the client.
    fn check_password(password: &str) -> Result<(), String> {
        let min = Self::MIN_PASSWORD;
        if (min..=MAX_PASSWORD).contains(&password.chars().count()) {
            Ok(())
        } else {
            Err(format!("Length must be between {min} and {MAX_PASSWORD}."))
        }
    }
}

/// Key of an account.
pub(crate) fn key_of<A: Account>(account: &A) -> Value {
    account.value(A::table().primary_key).to_value()
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
