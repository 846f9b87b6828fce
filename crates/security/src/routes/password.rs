//! Change of the caller's password.

use model_resource::{Context, Error, FromContext, JsonBody, Reply, Result, ViewSpec, run_cpu_bound};

use crate::account::Account;
use crate::account_changes::{require_verified_password, save_password};
use crate::account_operations::wrong_password;
use crate::decorators::auth_required;
use crate::limits::AccountLimits;
use crate::password::{hash_password, verify_password};
use crate::routes::password_body::Passwords;
#[cfg(feature = "openapi")]
use crate::routes::schemas;
use crate::security::Security;

/// Changes the password. The credential of the request stays valid; the user's other sessions and tokens are revoked.
pub(super) fn password<A: Account>(limits: &AccountLimits) -> ViewSpec {
    let view = ViewSpec::new("change_password", "/password", handle_password::<A>)
        .methods(&["POST"])
        .description(
            "Changes the password. The credential of the request stays valid; the user's other sessions and tokens are \
             revoked.",
        )
        .decorator(auth_required())
        .decorator(limits.addresses())
        .decorator(limits.changes())
        .decorator(limits.guesses());
    #[cfg(feature = "openapi")]
    let view = view.schemas(schemas::password::<A>);
    view
}

async fn handle_password<A: Account>(mut cx: Context) -> Result<Reply> {
    let security = Security::<A>::from_context(&mut cx).await?;
    let JsonBody(passwords) = JsonBody::<Passwords>::from_context(&mut cx).await?;
    A::check_password(&passwords.new_password).map_err(|message| Error::field("newPassword", message))?;
    let account: Option<A> = cx.caller().account().cloned();
    let account = wrong_password(verify_password(passwords.password, account).await, "password")?;
    // Hashed before the transaction begins, since other writes wait for its end.
    let hash = run_cpu_bound(move || hash_password(passwords.new_password)).await?;
    cx.begin().await?;
    require_verified_password(cx.store_unchecked(), &account, "password").await?;
    let account = save_password(cx.store_unchecked(), &account, hash).await?;
    security.password_changed(&cx, &account).await?;
    cx.commit().await?;
    Ok(Reply::no_content())
}
