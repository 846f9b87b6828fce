//! What is done to accounts, from the command line and by views alike.

use model_resource::schema::model::Field;
use model_resource::{Query, Store};
use model_resource_security::Account;

use crate::api::{Draft, Result};
use crate::models::User;
use crate::security::Security;

/// The role of those who look after the others.
pub const ADMIN: &str = "admin";

/// Every role that a rule of the application speaks of.
pub const ROLES: [&str; 1] = [ADMIN];

/// The fewest characters of a password.
pub const MIN_PASSWORD: usize = 8;

/// The user of an e-mail address or a user name, whatever their case. No user name holds an `@`.
pub async fn find_user(store: &Store, name: &str) -> Result<Option<User>> {
    let field = match name.contains('@') {
        true => User::EMAIL,
        false => User::USERNAME,
    };
    Ok(store.first(&Query::new().filter(field, fold(name))).await?)
}

/// Puts the names that log in into small letters, in which they are kept: so no two users differ by case alone.
pub fn fold_names(user: &mut Draft<User>) {
    for field in [User::EMAIL, User::USERNAME] {
        fold_field(user, field);
    }
}

fn fold_field(user: &mut Draft<User>, field: Field<User, String>) {
    if let Some(name) = user.get(field) {
        user.set(field, fold(&name));
    }
}

/// A name in small letters: letter by letter, so that the same letter is folded alike wherever it stands.
pub fn fold(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// Sets the hash of another password, after which every session and token is worth nothing.
pub async fn set_password(store: &Store, user: &User, hash: String) -> Result<User> {
    let mut draft = Draft::of(user);
    draft.set(User::PASSWORD_HASH, hash);
    Ok(store.save(draft).await?)
}

/// Lets a user in again, or no more: then every session and token ends for good. What a login gave that was under way at that
/// moment ends before they are let in again.
pub async fn set_active(store: &Store, user: &User, is_active: bool) -> Result<()> {
    if !user.is_active {
        Security::end_all(store, user).await?;
    }
    let mut draft = Draft::of(user);
    draft.set(User::IS_ACTIVE, is_active);
    let user = store.save(draft).await?;
    match is_active {
        true => Ok(()),
        false => Security::end_all(store, &user).await,
    }
}

/// Gives a user a role.
pub async fn add_role(store: &Store, user: &User, role: &str) -> Result<()> {
    let mut roles = user.roles();
    if !roles.iter().any(|known| known == role) {
        roles.push(role.to_owned());
    }
    set_roles(store, user, &roles).await
}

/// Takes a role from a user.
pub async fn remove_role(store: &Store, user: &User, role: &str) -> Result<()> {
    let mut roles = user.roles();
    roles.retain(|known| known != role);
    set_roles(store, user, &roles).await
}

async fn set_roles(store: &Store, user: &User, roles: &[String]) -> Result<()> {
    let mut draft = Draft::of(user);
    draft.set(User::ROLES, roles.join(" "));
    store.save(draft).await?;
    Ok(())
}
