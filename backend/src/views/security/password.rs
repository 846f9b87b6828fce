//! Change of the caller's password.

use model_resource::schemars::{self, JsonSchema};
use model_resource::{ErrorKind, JsonBody, Rate, Throttle, run_cpu_bound, throttle};
use serde::Deserialize;

use crate::api::{Context, Error, Reply, Result};
use crate::extensions::api;
use crate::models::User;
use crate::security::{
    CurrentUser, MAX_PASSWORD, MIN_PASSWORD, SECURITY, UserSecurity, auth_required, check_password,
    hash_password, set_password, verify_password,
};

/// Body with the current and the new password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Passwords {
    password: String,
    #[schemars(length(min = MIN_PASSWORD, max = MAX_PASSWORD))]
    new_password: String,
}

/// Changes the password. The credential of the request stays valid; the user's other sessions and tokens are revoked.
#[api::route(SECURITY, "/password", methods = [POST], decorators = [
    auth_required(),
    limit_addresses(),
    limit_changes(),
    limit_guesses(),
], response = ())]
pub async fn change_password(
    mut cx: Context,
    security: UserSecurity,
    CurrentUser(user): CurrentUser<User>,
    JsonBody(passwords): JsonBody<Passwords>,
) -> Result<Reply> {
    check_password(&passwords.new_password).map_err(|message| Error::field("newPassword", message))?;
    let user = require_password(passwords.password, user, "password").await?;
    // Hashed before the transaction begins, since other writes wait for its end.
    let hash = run_cpu_bound(move || hash_password(passwords.new_password)).await?;
    cx.begin().await?;
    let user = set_password(cx.store_unchecked(), &user, hash).await?;
    security.password_changed(&cx, &user).await?;
    cx.commit().await?;
    Ok(Reply::no_content())
}

/// Limits how often the holder of an account's credential can guess its password.
pub(super) fn limit_guesses() -> Throttle {
    throttle(Rate::per_hour(10))
        .named("password")
        .by(|cx: &Context| cx.caller().key::<i64>())
        .failures_only()
}

/// Limits how often an address can fail with whichever account, as for logins.
pub(super) fn limit_addresses() -> Throttle {
    throttle(Rate::per_minute(30))
        .named("address")
        .by_address()
        .failures_only()
}

/// Limits the changes of an account's password, even successful ones, because each costs the time of several hashes.
pub(super) fn limit_changes() -> Throttle {
    throttle(Rate::per_hour(30))
        .named("changes")
        .by(|cx: &Context| cx.caller().key::<i64>())
}

/// Returns the user if the password is correct. The caller is authenticated, so a wrong password is a field error:
/// clients take a 401 for the end of their session.
pub(super) async fn require_password(password: String, user: Option<User>, field: &str) -> Result<User> {
    let verified = verify_password(password, user).await;
    verified.map_err(|error| match error.kind() {
        ErrorKind::Unauthorized => Error::field(field, "This is not your password."),
        _ => error,
    })
}
