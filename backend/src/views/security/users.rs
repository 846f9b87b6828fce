//! Accounts: anyone makes one while logged out and changes only their own; admins see all, and shut some out.

use model_resource::{Rate, throttle};

use crate::api::{
    CREATE, Context, Draft, Error, Errors, GET, LIST, MethodDecorators, ModelResource, Operations, PATCH,
    PUT, Reply, Result, operations,
};
use crate::extensions::api;
use crate::models::User;
use crate::security::{
    ADMIN, SECURITY, anonymous_user_required, auth_required, auth_required_same_user, disable, enable,
    fold_names,
};

/// Accounts.
pub struct UserResource;

#[api::model_resource(SECURITY, User, "/users", "/users/<int:id>")]
impl ModelResource for UserResource {
    const INCLUDE_METHODS: Operations = operations![CREATE, GET, LIST, PATCH, PUT];

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on(LIST, auth_required.role(ADMIN))
            .on(
                CREATE,
                throttle(Rate::per_hour(60)).named("registration").by_address(),
            )
            .on(CREATE, anonymous_user_required)
            .on([PATCH, PUT], auth_required_same_user)
    }

    async fn create(cx: Context, mut user: Draft<User>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        fold_names(&mut user);
        cx.created(user).await
    }

    async fn put(cx: Context, user: Draft<User>, errors: Errors) -> Result<Reply> {
        Self::change(cx, user, errors).await
    }

    async fn patch(cx: Context, user: Draft<User>, errors: Errors) -> Result<Reply> {
        Self::change(cx, user, errors).await
    }

    #[helper]
    async fn change(cx: Context, mut user: Draft<User>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        fold_names(&mut user);
        cx.updated(user).await
    }
}

/// Shuts a user out, at once and everywhere.
#[api::route(SECURITY, "/users/<int:id>/disable", methods = [POST], decorators = [auth_required.role(ADMIN)])]
pub async fn disable_user(cx: Context) -> Result<Reply> {
    let user = named(&cx).await?;
    if cx.caller().is(user.id) {
        return Err(Error::conflict("You cannot shut yourself out."));
    }
    disable(cx.store(), &user).await?;
    Ok(Reply::no_content())
}

/// Lets a user in again, who then has to log in.
#[api::route(SECURITY, "/users/<int:id>/enable", methods = [POST], decorators = [auth_required.role(ADMIN)])]
pub async fn enable_user(cx: Context) -> Result<Reply> {
    let user = named(&cx).await?;
    enable(cx.store(), &user).await?;
    Ok(Reply::no_content())
}

/// The user whom the URL names.
async fn named(cx: &Context) -> Result<User> {
    let id: Option<i64> = cx.params().get("id").and_then(|id| id.parse().ok());
    let user = match id {
        Some(id) => cx.store().get(id).await?,
        None => None,
    };
    user.ok_or_else(Error::not_found)
}
