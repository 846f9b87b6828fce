//! Changes of accounts. Those that must end sessions and tokens do so in the same transaction.

use model_resource::{Draft, Field, Result, Store};
use model_resource_security::{Account, Security};

/// Function that writes the roles of an account.
pub(super) type SetRoles<A> = dyn Fn(&mut Draft<A>, &[String]) + Send + Sync;

/// Sets a new password hash and revokes every session and token.
pub(super) async fn reset_password<A: Account>(
    store: &Store,
    user: &A,
    column: Field<A, String>,
    hash: String,
) -> Result<()> {
    let transaction = store.begin().await?;
    let mut draft = Draft::of(user);
    draft.set(column, hash);
    let user = transaction.save(draft).await?;
    Security::<A>::revoke_all(&transaction, &user).await?;
    Ok(transaction.commit().await?)
}

/// Disables a user and revokes every session and token.
pub(super) async fn disable<A: Account>(store: &Store, user: &A, column: Field<A, bool>) -> Result<()> {
    let transaction = store.begin().await?;
    let mut draft = Draft::of(user);
    draft.set(column, false);
    let user = transaction.save(draft).await?;
    Security::<A>::revoke_all(&transaction, &user).await?;
    Ok(transaction.commit().await?)
}

/// Enables a user, who then has to log in. Also revokes any credential issued by a login that raced with disabling
/// them.
pub(super) async fn enable<A: Account>(store: &Store, user: &A, column: Field<A, bool>) -> Result<()> {
    let transaction = store.begin().await?;
    if !user.is_active() {
        Security::<A>::revoke_all(&transaction, user).await?;
    }
    let mut draft = Draft::of(user);
    draft.set(column, true);
    transaction.save(draft).await?;
    Ok(transaction.commit().await?)
}

/// Replaces the roles of a user.
pub(super) async fn save_roles<A: Account>(
    store: &Store,
    user: &A,
    set: &SetRoles<A>,
    roles: &[String],
) -> Result<()> {
    let mut draft = Draft::of(user);
    set(&mut draft, roles);
    store.save(draft).await?;
    Ok(())
}
