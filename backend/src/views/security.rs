//! Users and their credentials, below `/auth`.

use model_resource::{JsonBody, Query};
use serde::Deserialize;
use serde_json::json;

use crate::api::{
    CREATE, Context, Error, Errors, GET, MethodDecorators, ModelResource, Operations, PATCH, PUT, Reply,
    Result, operations,
};
use crate::extensions::api;
use crate::models::User;
use crate::security::{
    CurrentUser, MAX_PASSWORD, SECURITY, anonymous_user_required, auth_required_same_user, issue,
    verify_password,
};

/// Accounts: anyone makes one while logged out, and changes only their own.
pub struct UserResource;

#[api::model_resource(SECURITY, User, "/users", "/users/<int:id>")]
impl ModelResource for UserResource {
    const INCLUDE_METHODS: Operations = operations![CREATE, GET, PATCH, PUT];

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on(CREATE, anonymous_user_required)
            .on([PATCH, PUT], auth_required_same_user)
    }
}

/// What logs in: an e-mail address or a username, and the password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Login {
    email: String,
    password: String,
}

/// Gives a bearer token for a password.
#[api::route(SECURITY, "/login", methods = [POST])]
pub async fn login(cx: Context, JsonBody(login): JsonBody<Login>) -> Result<Reply> {
    if login.password.chars().count() > MAX_PASSWORD {
        return cx.errors(Errors::of(
            "password",
            format!("Longer than the maximum length {MAX_PASSWORD}."),
        ));
    }
    let by_email = Query::<User>::new().filter(User::EMAIL, login.email.clone());
    let by_username = Query::<User>::new().filter(User::USERNAME, login.email);
    let user = match cx.store().first(&by_email).await? {
        Some(user) => Some(user),
        None => cx.store().first(&by_username).await?,
    };
    let hash = user.as_ref().map(|user| user.password_hash.clone());
    let matches = verify_password(login.password, hash).await?;
    let user = user
        .filter(|user| matches && user.is_active)
        .ok_or_else(Error::unauthorized)?;
    let token = issue(cx.store(), &user).await?;
    Reply::json(&json!({ "token": token, "user": cx.dump(&user).await? }))
}

/// Tells who is asking.
#[api::route(SECURITY, "/status")]
pub async fn status(cx: Context, CurrentUser(user): CurrentUser) -> Result<Reply> {
    let shown = match &user {
        Some(user) => Some(cx.dump(user).await?),
        None => None,
    };
    Reply::json(&json!({ "authenticated": user.is_some(), "user": shown }))
}
