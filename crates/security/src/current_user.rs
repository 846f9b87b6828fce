//! The account of whoever sent a request.

use model_resource::{Context, FromContext, Result};

use crate::account::Account;

/// The account of whoever sent the request, if it is known; a handler or view takes it as an argument.
#[derive(Debug, Clone)]
pub struct CurrentUser<A>(pub Option<A>);

impl<A: Account> FromContext for CurrentUser<A> {
    async fn from_context(cx: &mut Context) -> Result<Self> {
        Ok(Self(cx.caller().account().cloned()))
    }
}
