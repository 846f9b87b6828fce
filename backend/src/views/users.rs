//! Accounts: anonymous callers register, users change their own account, admins list all.

use model_resource::schemars::{self, JsonSchema};
use model_resource_security::{AccountLimits, AccountSerializer, NewAccountSerializer};

use crate::api::{
    CREATE, Context, Draft, GET, LIST, MethodDecorators, ModelResource, Operations, PATCH, PUT, Reply, Result,
};
use crate::extensions::api;
use crate::models::User;
use crate::policies::UserPolicy;
use crate::security::{ADMIN, SECURITY, UserSecurity, auth_required};
use crate::serializers::UserListSerializer;

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

#[api::model_resource(SECURITY, User, "/users", "/users/<int:id>", serializers = [AccountSerializer<User>, UserListSerializer, NewAccountSerializer<User>], policy = UserPolicy)]
impl ModelResource for UserResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, GET, LIST, PATCH, PUT]);

    fn method_decorators() -> MethodDecorators {
        let limits = AccountLimits::new();
        limits.method_decorators().on(LIST, auth_required().role(ADMIN))
    }

    #[response(adds = PrivateColumns)]
    async fn create(cx: Context, security: UserSecurity, user: Draft<User>) -> Result<Reply> {
        security.register(cx, user).await
    }

    async fn put(cx: Context, security: UserSecurity, user: Draft<User>) -> Result<Reply> {
        security.change(cx, user).await
    }

    async fn patch(cx: Context, security: UserSecurity, user: Draft<User>) -> Result<Reply> {
        security.change(cx, user).await
    }
}
