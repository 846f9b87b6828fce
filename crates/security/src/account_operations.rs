//! Registration and changes of accounts by requests, for the operations of a resource of accounts.

use model_resource::{Context, Draft, Error, ErrorKind, Reply, Result, StatusCode};

use crate::account::Account;
use crate::account_changes::{not_your_password, require_verified_password};
use crate::account_serializer::OLD_PASSWORD;
use crate::password::verify_password;
use crate::security::Security;

impl<A: Account> Security<A> {
    /// Creates the account of a registration: the `create` of a resource of accounts. The response is for the new user,
    /// who sees all columns of the account.
    pub async fn register(&self, cx: Context, account: Draft<A>) -> Result<Reply> {
        let account = cx.create(account).await?;
        let caller = self.caller(cx.store_unchecked(), account.clone()).await?;
        let shown = cx.serializer::<A>()?.for_caller(caller).dump(&account).await?;
        let mut created = cx.created_unsaved(account)?;
        let mut reply = Reply::json(&shown)?.with_status(StatusCode::CREATED);
        *reply.headers_mut() = std::mem::take(created.headers_mut());
        Ok(reply)
    }

    /// Changes the caller's account: the `put` and `patch` of a resource of accounts. A new password requires the current
    /// one as `oldPassword`, and revokes all sessions and tokens of the account in the same transaction.
    pub async fn change(&self, cx: Context, account: Draft<A>) -> Result<Reply> {
        match (account.is_changed(A::PASSWORD_HASH), account.extra(OLD_PASSWORD)) {
            (false, None) => cx.updated(account).await,
            (true, Some(old)) => Self::change_with_password(cx, account, old).await,
            (true, None) => Err(Error::field(OLD_PASSWORD, "A new password needs the old one.")),
            (false, Some(_)) => Err(Error::field(OLD_PASSWORD, "There is no new password beside it.")),
        }
    }

    async fn change_with_password(mut cx: Context, changed: Draft<A>, old: String) -> Result<Reply> {
        let account: Option<A> = cx.caller().account().cloned();
        let account = wrong_password(verify_password(old, account).await, OLD_PASSWORD)?;
        cx.begin().await?;
        require_verified_password(cx.store_unchecked(), &account, OLD_PASSWORD).await?;
        let reply = cx.updated(changed).await?;
        Self::revoke_all(cx.store_unchecked(), &account).await?;
        cx.commit().await?;
        Ok(reply)
    }
}

/// Reports a wrong password of an authenticated caller as a field error: clients take a 401 for the end of their
/// session.
pub(crate) fn wrong_password<A>(verified: Result<A>, field: &str) -> Result<A> {
    verified.map_err(|error| match error.kind() {
        ErrorKind::Unauthorized => not_your_password(field),
        _ => error,
    })
}
