//! Extractor for the caller's account.

use model_resource::{Context, FromContext, Result};

use crate::account::Account;

/// Account of the caller, `None` if they are anonymous. Handlers and views take it as an argument.
#[derive(Debug, Clone)]
pub struct CurrentUser<A>(pub Option<A>);

impl<A: Account> FromContext for CurrentUser<A> {
    async fn from_context(cx: &mut Context) -> Result<Self> {
        Ok(Self(cx.caller().account().cloned()))
    }
}
