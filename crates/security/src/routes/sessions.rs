//! The caller's sessions.

#[cfg(feature = "pages")]
use model_resource::PageOptions;
use model_resource::{DELETE, LIST, MethodDecorators, ModelResource, Operations, model_resource};

use crate::decorators::auth_required;
use crate::session::{AuthSession, SessionPolicy, SessionSerializer};

/// The caller's sessions: listed, and revoked from elsewhere.
pub(super) struct SessionResource;

#[model_resource(AuthSession, "/sessions", "/sessions/<int:id>", serializer = SessionSerializer, policy = SessionPolicy)]
impl ModelResource for SessionResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST, DELETE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required())
    }

    /// Names sessions by their keys, since many have the same user agent.
    #[cfg(feature = "pages")]
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
