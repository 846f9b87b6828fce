//! The caller's tokens and sessions.

use model_resource::schemars::{self, JsonSchema};
use model_resource::{PageOptions, StatusCode};

use crate::api::{
    CREATE, Context, DELETE, Draft, Errors, LIST, MethodDecorators, ModelResource, Operations, Reply, Result,
};
use crate::extensions::api;
use crate::models::{AuthSession, AuthToken};
use crate::security::{SECURITY, UserSecurity, auth_required};
use crate::views::security::access::secret;
use model_resource_security::{SessionPolicy, SessionSerializer, TokenPolicy, TokenSerializer};

/// Member of a created token that is never shown again.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the reply is made member by member")]
struct ShownToken {
    /// Bearer token.
    token: String,
}

/// The caller's bearer tokens, at most 100: created with a name and an expiry, shown once, listed and revoked.
pub struct TokenResource;

#[api::model_resource(SECURITY, AuthToken, "/tokens", "/tokens/<int:id>", serializer = TokenSerializer, policy = TokenPolicy)]
impl ModelResource for TokenResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, LIST, DELETE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required())
    }

    /// Creates a bearer token, which is shown once.
    #[response(adds = ShownToken)]
    async fn create(
        cx: Context,
        security: UserSecurity,
        token: Draft<AuthToken>,
        errors: Errors,
    ) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        let (shown, token) = security.derive_token(&cx, token).await?;
        let mut answer = cx.serializer::<AuthToken>()?.dump(&token).await?;
        answer["token"] = shown.into();
        Ok(secret(Reply::json(&answer)?.with_status(StatusCode::CREATED)))
    }
}

/// The caller's sessions: listed, and revoked from elsewhere.
pub struct SessionResource;

#[api::model_resource(SECURITY, AuthSession, "/sessions", "/sessions/<int:id>", serializer = SessionSerializer, policy = SessionPolicy)]
impl ModelResource for SessionResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST, DELETE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required())
    }

    /// Names sessions by their keys, since many have the same user agent.
    fn page() -> PageOptions<AuthSession> {
        PageOptions::new()
            .title_field(AuthSession::ID)
            .column(AuthSession::ID)
            .column(AuthSession::USED_AT)
            .column(AuthSession::CREATED_AT)
            .column(AuthSession::EXPIRES_AT)
            .column(AuthSession::USER_AGENT)
    }
}
