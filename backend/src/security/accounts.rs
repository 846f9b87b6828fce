//! What is done to accounts, from the command line and by views alike.

use model_resource::{Query, Store};
use model_resource_security::{Account, MAX_PASSWORD};

use crate::api::{Draft, Result};
use crate::models::User;
use crate::security::Security;
use crate::security::names::fold;

/// The role of those who look after the others.
pub const ADMIN: &str = "admin";

/// Every role that a rule of the application speaks of.
pub const ROLES: [&str; 1] = [ADMIN];

/// The fewest characters of a password.
pub const MIN_PASSWORD: usize = 8;

/// The member of an account's body that a new password needs beside it.
pub const OLD_PASSWORD: &str = "oldPassword";

/// The user of an e-mail address or a user name, whatever their case. No user name holds an `@`.
pub async fn find_user(store: &Store, name: &str) -> Result<Option<User>> {
    let field = match name.contains('@') {
        true => User::EMAIL,
        false => User::USERNAME,
    };
    Ok(store.first(&Query::new().filter(field, fold(name))).await?)
}

/// Whether a text is as long as a password has to be, or what is told of it.
pub fn check_password(password: &str) -> Result<(), String> {
    match (MIN_PASSWORD..=MAX_PASSWORD).contains(&password.chars().count()) {
        true => Ok(()),
        false => Err(format!(
            "Length must be between {MIN_PASSWORD} and {MAX_PASSWORD}."
        )),
    }
}

/// Sets the hash of another password, after which every session and token is worth nothing; ending them is left to who has
/// begun the transaction.
pub async fn set_password(store: &Store, user: &User, hash: String) -> Result<User> {
    let mut draft = Draft::of(user);
    draft.set(User::PASSWORD_HASH, hash);
    Ok(store.save(draft).await?)
}

/// Sets the hash of another password and ends every session and token, both or neither.
pub async fn reset_password(store: &Store, user: &User, hash: String) -> Result<()> {
    let transaction = store.begin().await?;
    let user = set_password(&transaction, user, hash).await?;
    Security::revoke_all(&transaction, &user).await?;
    Ok(transaction.commit().await?)
}

/// Shuts a user out and ends every session and token for good, both or neither.
pub async fn disable(store: &Store, user: &User) -> Result<()> {
    let transaction = store.begin().await?;
    let mut draft = Draft::of(user);
    draft.set(User::IS_ACTIVE, false);
    let user = transaction.save(draft).await?;
    Security::revoke_all(&transaction, &user).await?;
    Ok(transaction.commit().await?)
}

/// Lets a user in again, who then has to log in: what a login gave that was under way while they were shut out ends, too.
pub async fn enable(store: &Store, user: &User) -> Result<()> {
    let transaction = store.begin().await?;
    if !user.is_active {
        Security::revoke_all(&transaction, user).await?;
    }
    let mut draft = Draft::of(user);
    draft.set(User::IS_ACTIVE, true);
    transaction.save(draft).await?;
    Ok(transaction.commit().await?)
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
