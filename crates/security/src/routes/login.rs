//! Login and logout.

use model_resource::{
    Context, Draft, Error, ErrorKind, FromContext, HeaderValue, JsonBody, Reply, Result, StatusCode, Store,
    ViewSpec, header,
};
use serde_json::json;

use crate::account::{Account, key_text};
use crate::limits::AccountLimits;
use crate::names::normalize_name;
use crate::password::verify_password;
use crate::routes::login_body::{CredentialWanted, LoginBody, name_member};
#[cfg(feature = "openapi")]
use crate::routes::schemas;
use crate::security::Security;
use crate::token::AuthToken;

/// Key by which failed logins are counted.
#[derive(Hash)]
enum LoginAttempt {
    /// The account, by whichever of its names.
    Account(String),
    /// A name without an account.
    Name(String),
}

async fn attempt<A: Account>(store: Store, name: String) -> Result<LoginAttempt> {
    let account = Security::<A>::find_account(&store, &name).await?;
    Ok(match account {
        Some(account) => LoginAttempt::Account(key_text(&account)),
        None => LoginAttempt::Name(normalize_name(name.trim())),
    })
}

/// Issues a session, a bearer token or both for a password.
pub(super) fn login<A: Account>(limits: &AccountLimits) -> ViewSpec {
    let view = ViewSpec::new("login", "/login", handle_login::<A>)
        .methods(&["POST"])
        .description("Issues a session, a bearer token or both for a password.")
        .decorator(limits.addresses())
        .decorator(limits.logins().by_lookup(name_member::<A>(), attempt::<A>));
    #[cfg(feature = "openapi")]
    let view = view.schemas(schemas::login::<A>);
    view
}

async fn handle_login<A: Account>(mut cx: Context) -> Result<Reply> {
    let security = Security::<A>::from_context(&mut cx).await?;
    let JsonBody(login) = JsonBody::<LoginBody<A>>::from_context(&mut cx).await?;
    let account = Security::<A>::find_account(cx.store_unchecked(), &login.name).await?;
    let account = verify_password(login.password, account)
        .await
        .map_err(wrong_credentials)?;
    // Users see all columns of their own account.
    let caller = security.caller(cx.store_unchecked(), account.clone()).await?;
    let serializer = cx.serializer::<A>()?.for_caller(caller);
    let mut answer = json!({ "user": serializer.dump(&account).await? });
    // The token is issued first: if that fails, the browser keeps its current session.
    if login.credential != CredentialWanted::Session {
        let token = Draft::new().with(AuthToken::NAME, "login");
        let (secret, _) = security
            .issue_token(cx.store_unchecked(), &account, token)
            .await?;
        answer["token"] = secret.into();
    }
    let mut cookie = None;
    if login.credential != CredentialWanted::Token {
        let session = security.begin_session(&cx, &account).await?;
        answer["csrfToken"] = session.csrf_token.into();
        cookie = Some(session.cookie);
    }
    let reply = secret(Reply::json(&answer)?);
    Ok(match cookie {
        Some(cookie) => reply.with_header(header::SET_COOKIE, cookie),
        None => reply,
    })
}

/// Replaces the message that asks the caller to log in, since this is the login.
fn wrong_credentials(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Unauthorized => {
            let name = error.name();
            Error::named(name, StatusCode::UNAUTHORIZED, "Wrong credentials.")
        }
        _ => error,
    }
}

/// Revokes the session or token that authenticates the request.
pub(super) fn logout<A: Account>() -> ViewSpec {
    let view = ViewSpec::new("logout", "/logout", handle_logout::<A>)
        .methods(&["POST"])
        .description("Revokes the session or token that authenticates the request.");
    #[cfg(feature = "openapi")]
    let view = view.schemas(schemas::nothing);
    view
}

async fn handle_logout<A: Account>(mut cx: Context) -> Result<Reply> {
    let security = Security::<A>::from_context(&mut cx).await?;
    let cookie = security.log_out(&cx).await?;
    Ok(Reply::no_content().with_header(header::SET_COOKIE, cookie))
}

/// Forbids caches to store the reply.
pub(super) fn secret(reply: Reply) -> Reply {
    reply.with_header(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))
}
