//! Accounts: anonymous callers register, users change their own account, admins list, disable and enable all.

use model_resource::schemars::{self, JsonSchema};
use model_resource::{Rate, StatusCode, throttle};

use crate::api::{
    CREATE, Context, Draft, Error, Errors, GET, LIST, MethodDecorators, ModelResource, Operations, PATCH,
    PUT, Reply, Result,
};
use crate::extensions::api;
use crate::models::User;
use crate::policies::UserPolicy;
use crate::security::{
    ADMIN, OLD_PASSWORD, SECURITY, UserSecurity, anonymous_user_required, auth_required,
    auth_required_same_user, disable, enable,
};
use crate::serializers::{UserCreateSerializer, UserListSerializer, UserSerializer};
use crate::views::security::password::{limit_addresses, limit_changes, limit_guesses, require_password};

/// Private columns of an account, which its new user sees.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the type documents members that the serializer writes")]
struct PrivateColumns {
    /// The e-mail address in lower case.
    email: String,
    /// The given name.
    first_name: Option<String>,
    /// The family name.
    last_name: Option<String>,
    /// Time of creation.
    created_at: String,
    /// Time of the last change.
    updated_at: String,
}

/// Accounts.
pub struct UserResource;

#[api::model_resource(SECURITY, User, "/users", "/users/<int:id>", serializers = [UserSerializer, UserListSerializer, UserCreateSerializer], policy = UserPolicy)]
impl ModelResource for UserResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, GET, LIST, PATCH, PUT]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on(LIST, auth_required().role(ADMIN))
            .on(
                CREATE,
                throttle(Rate::per_hour(60)).named("registration").by_address(),
            )
            .on(CREATE, anonymous_user_required())
            .on([PATCH, PUT], auth_required_same_user())
            .on([PATCH, PUT], limit_addresses().when_body_has(OLD_PASSWORD))
            .on([PATCH, PUT], limit_changes().when_body_has(OLD_PASSWORD))
            .on([PATCH, PUT], limit_guesses().when_body_has(OLD_PASSWORD))
    }

    #[response(adds = PrivateColumns)]
    async fn create(cx: Context, security: UserSecurity, user: Draft<User>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        let user = cx.store_unchecked().create(user).await?;
        // The response is for the new user, who sees all columns of their own account.
        let serializer = cx.serializer::<User>()?.for_caller(security.caller(user.clone()));
        let shown = serializer.dump(&user).await?;
        let mut created = cx.created_unsaved(user)?;
        let mut reply = Reply::json(&shown)?.with_status(StatusCode::CREATED);
        *reply.headers_mut() = std::mem::take(created.headers_mut());
        Ok(reply)
    }

    async fn put(cx: Context, user: Draft<User>, errors: Errors) -> Result<Reply> {
        Self::change(cx, user, errors).await
    }

    async fn patch(cx: Context, user: Draft<User>, errors: Errors) -> Result<Reply> {
        Self::change(cx, user, errors).await
    }

    #[helper]
    async fn change(cx: Context, user: Draft<User>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        match (user.is_changed(User::PASSWORD_HASH), user.extra(OLD_PASSWORD)) {
            (false, None) => cx.updated(user).await,
            (true, Some(old)) => change_with_password(cx, user, old).await,
            (true, None) => Err(Error::field(OLD_PASSWORD, "A new password needs the old one.")),
            (false, Some(_)) => Err(Error::field(OLD_PASSWORD, "There is no new password beside it.")),
        }
    }
}

/// Changes an account together with its password and revokes all of its sessions and tokens in one transaction.
async fn change_with_password(mut cx: Context, user: Draft<User>, old: String) -> Result<Reply> {
    let account: Option<User> = cx.caller().account().cloned();
    let account = require_password(old, account, OLD_PASSWORD).await?;
    cx.begin().await?;
    let reply = cx.updated(user).await?;
    UserSecurity::revoke_all(cx.store_unchecked(), &account).await?;
    cx.commit().await?;
    Ok(reply)
}

/// Disables a user, effective at the next request.
#[api::route(
    SECURITY,
    "/users/<int:id>/disable",
    methods = [POST],
    decorators = [auth_required().role(ADMIN)],
    response = (),
    responses = [(404, "The user does not exist."), (409, "It is the account of the caller.")]
)]
pub async fn disable_user(cx: Context) -> Result<Reply> {
    let user = requested_user(&cx).await?;
    if cx.caller().is(user.id) {
        return Err(Error::conflict("You cannot disable your own account."));
    }
    disable(cx.store_unchecked(), &user).await?;
    Ok(Reply::no_content())
}

/// Enables a user, who then has to log in.
#[api::route(
    SECURITY,
    "/users/<int:id>/enable",
    methods = [POST],
    decorators = [auth_required().role(ADMIN)],
    response = (),
    responses = [(404, "The user does not exist.")]
)]
pub async fn enable_user(cx: Context) -> Result<Reply> {
    let user = requested_user(&cx).await?;
    enable(cx.store_unchecked(), &user).await?;
    Ok(Reply::no_content())
}

/// Returns the user with the URL's id.
async fn requested_user(cx: &Context) -> Result<User> {
    let id: Option<i64> = cx.params().get("id").and_then(|id| id.parse().ok());
    let user = match id {
        Some(id) => cx.store_unchecked().get(id).await?,
        None => None,
    };
    user.ok_or_else(Error::not_found)
}
