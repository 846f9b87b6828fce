//! Logging in and out, and who is asking.

use model_resource::{ErrorKind, HeaderValue, JsonBody, Rate, StatusCode, Store, header, throttle};
use serde::Deserialize;
use serde_json::json;

use crate::api::{Context, Draft, Error, Reply, Result};
use crate::extensions::api;
use crate::models::{AuthToken, User};
use crate::security::{Credential, CurrentUser, SECURITY, Security, find_user, fold, verify_password};

/// What logs in: an e-mail address or a user name, and the password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoginBody {
    email: String,
    password: String,
    #[serde(default)]
    credential: CredentialWanted,
}

/// What a client wants to be known by from then on.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum CredentialWanted {
    /// Either.
    #[default]
    Both,
    /// A cookie, for browsers.
    Session,
    /// A bearer token, for programs.
    Token,
}

/// What wrong logins are counted by.
#[derive(Hash)]
enum LoginAttempt {
    /// The account, whichever of its names is given.
    Account(i64),
    /// A name that nobody has.
    Name(String),
}

async fn tried(store: Store, name: String) -> Result<LoginAttempt> {
    let user = find_user(&store, &name).await?;
    Ok(user.map_or_else(
        || LoginAttempt::Name(fold(name.trim())),
        |user| LoginAttempt::Account(user.id),
    ))
}

/// Gives a session, a bearer token or both for a password.
#[api::route(SECURITY, "/login", methods = [POST], decorators = [
    throttle(Rate::per_minute(30)).named("address").by_address().failures_only(),
    throttle(Rate::per_minute(10)).named("account").by_lookup("email", tried).failures_only(),
])]
pub async fn login(cx: Context, security: Security, JsonBody(login): JsonBody<LoginBody>) -> Result<Reply> {
    let user = find_user(cx.store(), &login.email).await?;
    let user = verify_password(login.password, user).await.map_err(told)?;
    // Users see all of their own account.
    let serializer = cx.serializer::<User>()?.for_caller(security.caller(user.clone()));
    let mut answer = json!({ "user": serializer.dump(&user).await? });
    // The token comes first: if it is refused, the session that the browser has goes on.
    if login.credential != CredentialWanted::Session {
        let mut token = Draft::new();
        token.set(AuthToken::NAME, "login".to_owned());
        let (shown, _) = security.issue_token(cx.store(), &user, token).await?;
        answer["token"] = shown.into();
    }
    let mut cookie = None;
    if login.credential != CredentialWanted::Token {
        let session = security.begin_session(&cx, &user).await?;
        answer["csrfToken"] = session.csrf_token.into();
        cookie = Some(session.cookie);
    }
    let reply = secret(Reply::json(&answer)?);
    Ok(match cookie {
        Some(cookie) => reply.with_header(header::SET_COOKIE, cookie),
        None => reply,
    })
}

/// Whoever cannot log in is not told to log in.
fn told(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Unauthorized => {
            let name = error.name();
            Error::named(name, StatusCode::UNAUTHORIZED, "Wrong credentials.")
        }
        _ => error,
    }
}

/// Ends the session, or the token, that asks for it.
#[api::route(SECURITY, "/logout", methods = [POST])]
pub async fn logout(cx: Context, security: Security) -> Result<Reply> {
    let cookie = security.log_out(&cx).await?;
    Ok(Reply::no_content().with_header(header::SET_COOKIE, cookie))
}

/// Tells who is asking, and what a page needs to write.
#[api::route(SECURITY, "/status")]
pub async fn status(cx: Context, CurrentUser(user): CurrentUser<User>) -> Result<Reply> {
    let shown = match &user {
        Some(user) => Some(cx.serializer::<User>()?.dump(user).await?),
        None => None,
    };
    let mut answer = json!({ "authenticated": user.is_some(), "user": shown, "roles": cx.caller().roles() });
    let credential = Credential::of(&cx);
    if let Some((id, token)) = credential.and_then(|shown| shown.session_id().zip(shown.csrf_token())) {
        answer["sessionId"] = id.into();
        answer["csrfToken"] = token.into();
    }
    Ok(secret(Reply::json(&answer)?))
}

/// The same, which nobody on the way may keep.
pub(super) fn secret(reply: Reply) -> Reply {
    reply.with_header(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))
}
