//! Login, logout and the caller's status.

use model_resource::schemars::{self, JsonSchema};
use model_resource::{ErrorKind, HeaderValue, JsonBody, ObjectOf, Rate, StatusCode, Store, header, throttle};
use serde::Deserialize;
use serde_json::json;

use crate::api::{Context, Draft, Error, Reply, Result};
use crate::extensions::api;
use crate::models::{AuthToken, User};
use crate::security::{
    Credential, CurrentUser, SECURITY, UserSecurity, find_user, normalize_name, verify_password,
};

/// Body of a login: an e-mail address or a user name, and the password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LoginBody {
    /// E-mail address or user name.
    email: String,
    password: String,
    /// Credential to issue.
    #[serde(default)]
    credential: CredentialWanted,
}

/// Credential that a login issues.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum CredentialWanted {
    /// A session and a bearer token.
    #[default]
    Both,
    /// A session cookie, for browsers.
    Session,
    /// A bearer token, for programs.
    Token,
}

/// Reply to a login, as it is documented.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the reply is made member by member")]
struct LoginReply {
    user: ObjectOf<User>,
    /// Bearer token, if one was issued; shown once.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// Token that writes with the session need in the header `X-CSRFToken`, if a session was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf_token: Option<String>,
}

/// The caller, as it is documented.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the reply is made member by member")]
struct StatusReply {
    authenticated: bool,
    user: Option<ObjectOf<User>>,
    roles: Vec<String>,
    /// Session of the request, if one authenticates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<i64>,
    /// Token that writes with the session need in the header `X-CSRFToken`.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf_token: Option<String>,
}

/// Key by which failed logins are counted.
#[derive(Hash)]
enum LoginAttempt {
    /// The account, by whichever of its names.
    Account(i64),
    /// A name without an account.
    Name(String),
}

async fn attempt(store: Store, name: String) -> Result<LoginAttempt> {
    let user = find_user(&store, &name).await?;
    Ok(user.map_or_else(
        || LoginAttempt::Name(normalize_name(name.trim())),
        |user| LoginAttempt::Account(user.id),
    ))
}

/// Issues a session, a bearer token or both for a password.
#[api::route(SECURITY, "/login", methods = [POST], decorators = [
    throttle(Rate::per_minute(30)).named("address").by_address().failures_only(),
    throttle(Rate::per_minute(10)).named("account").by_lookup("email", attempt).failures_only(),
], response = LoginReply)]
pub async fn login(
    cx: Context,
    security: UserSecurity,
    JsonBody(login): JsonBody<LoginBody>,
) -> Result<Reply> {
    let user = find_user(cx.store_unchecked(), &login.email).await?;
    let user = verify_password(login.password, user)
        .await
        .map_err(wrong_credentials)?;
    // Users see all columns of their own account.
    let serializer = cx.serializer::<User>()?.for_caller(security.caller(user.clone()));
    let mut answer = json!({ "user": serializer.dump(&user).await? });
    // The token is issued first: if that fails, the browser keeps its current session.
    if login.credential != CredentialWanted::Session {
        let mut token = Draft::new();
        token.set(AuthToken::NAME, "login".to_owned());
        let (secret, _) = security.issue_token(cx.store_unchecked(), &user, token).await?;
        answer["token"] = secret.into();
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
#[api::route(SECURITY, "/logout", methods = [POST], response = ())]
pub async fn logout(cx: Context, security: UserSecurity) -> Result<Reply> {
    let cookie = security.log_out(&cx).await?;
    Ok(Reply::no_content().with_header(header::SET_COOKIE, cookie))
}

/// Returns the caller, and the CSRF token that a page needs for writes.
#[api::route(SECURITY, "/status", response = StatusReply)]
pub async fn status(cx: Context, CurrentUser(user): CurrentUser<User>) -> Result<Reply> {
    let account = match &user {
        Some(user) => Some(cx.serializer::<User>()?.dump(user).await?),
        None => None,
    };
    let mut answer =
        json!({ "authenticated": user.is_some(), "user": account, "roles": cx.caller().roles() });
    let credential = Credential::of(&cx);
    if let Some((id, token)) =
        credential.and_then(|credential| credential.session_id().zip(credential.csrf_token()))
    {
        answer["sessionId"] = id.into();
        answer["csrfToken"] = token.into();
    }
    Ok(secret(Reply::json(&answer)?))
}

/// Forbids caches to store the reply.
pub(super) fn secret(reply: Reply) -> Reply {
    reply.with_header(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))
}
