//! Operations on accounts, and the constants that their views share.

use model_resource::Store;
use model_resource_security::MAX_PASSWORD;

use crate::api::{Draft, Result};
use crate::models::User;
use crate::security::UserSecurity;
use crate::security::names::normalize_name;

/// Role of administrators.
pub const ADMIN: &str = "admin";

/// Every role that a policy of the application uses.
pub const ROLES: [&str; 1] = [ADMIN];

/// Minimum characters of a password.
pub const MIN_PASSWORD: usize = 8;

/// Body member with the current password, required beside a new one.
pub const OLD_PASSWORD: &str = "oldPassword";

/// Finds a user by e-mail address or user name, ignoring case. User names cannot contain `@`.
pub async fn find_user(store: &Store, name: &str) -> Result<Option<User>> {
    let field = if name.contains('@') {
        User::EMAIL
    } else {
        User::USERNAME
    };
    Ok(store
        .first(&User::query().filter(field.eq(normalize_name(name))))
        .await?)
}

/// Checks the length of a password. Fails with a message for the client.
pub fn check_password(password: &str) -> Result<(), String> {
    if (MIN_PASSWORD..=MAX_PASSWORD).contains(&password.chars().count()) {
        Ok(())
    } else {
        Err(format!(
            "Length must be between {MIN_PASSWORD} and {MAX_PASSWORD}."
        ))
    }
}

/// Sets a new password hash, which invalidates every session and token. The caller's transaction must also revoke them.
pub async fn set_password(store: &Store, user: &User, hash: String) -> Result<User> {
    let mut draft = Draft::of(user);
    draft.set(User::PASSWORD_HASH, hash);
    Ok(store.save(draft).await?)
}

/// Disables a user and revokes every session and token in one transaction.
pub async fn disable(store: &Store, user: &User) -> Result<()> {
    let transaction = store.begin().await?;
    let mut draft = Draft::of(user);
    draft.set(User::IS_ACTIVE, false);
    let user = transaction.save(draft).await?;
    UserSecurity::revoke_all(&transaction, &user).await?;
    Ok(transaction.commit().await?)
}

/// Enables a user, who then has to log in. Also revokes any credential issued by a login that raced with disabling
/// them.
pub async fn enable(store: &Store, user: &User) -> Result<()> {
    let transaction = store.begin().await?;
    if !user.is_active {
        UserSecurity::revoke_all(&transaction, user).await?;
    }
    let mut draft = Draft::of(user);
    draft.set(User::IS_ACTIVE, true);
    transaction.save(draft).await?;
    Ok(transaction.commit().await?)
}
