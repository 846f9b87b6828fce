//! The caller's bearer tokens.

use std::marker::PhantomData;

use model_resource::expand::{self, Components, Overrides, Registration, op};
use model_resource::{
    CREATE, Context, DELETE, Draft, FromContext, LIST, MethodDecorators, ModelResource, Operation,
    Operations, Reply, Result, StatusCode,
};

use crate::account::Account;
use crate::decorators::auth_required;
use crate::routes::login::secret;
#[cfg(feature = "openapi")]
use crate::routes::schemas;
use crate::security::Security;
use crate::token::{AuthToken, TokenPolicy, TokenSerializer};

/// The caller's bearer tokens, at most 100: created with a name and an expiry, shown once, listed and revoked.
pub(super) struct TokenResource<A>(PhantomData<fn() -> A>);

impl<A: Account> ModelResource for TokenResource<A> {
    type Model = AuthToken;
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, LIST, DELETE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required())
    }

    fn registration() -> Registration {
        Registration::new("token_resource", &["/tokens", "/tokens/<int:id>"])
    }

    fn components(components: &mut Components<AuthToken>) {
        components.serializer::<TokenSerializer>();
        components.policy::<TokenPolicy>();
    }

    fn operations(operations: &mut Overrides) {
        operations.takes_loaded(Operation::Create, true);
        operations.describe(Operation::Create, "Creates a bearer token, which is shown once.");
        #[cfg(feature = "openapi")]
        operations.schemas(Operation::Create, schemas::new_token);
        operations.set(Operation::Create, create::<A>);
    }
}

async fn create<A: Account>(mut cx: Context) -> Result<Reply> {
    let security = Security::<A>::from_context(&mut cx).await?;
    let token =
        <Draft<AuthToken> as expand::Argument<TokenResource<A>, op::Create, _>>::from_context(&mut cx)
            .await?;
    expand::check_untaken_errors(&cx)?;
    let (shown, token) = security.derive_token(&cx, token).await?;
    let mut answer = cx.serializer::<AuthToken>()?.dump(&token).await?;
    answer["token"] = shown.into();
    Ok(secret(Reply::json(&answer)?.with_status(StatusCode::CREATED)))
}
