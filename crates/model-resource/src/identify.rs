//! What tells who sends a request.

use futures_util::future::BoxFuture;

use crate::caller::Caller;
use crate::context::Context;
use crate::error::Result;

/// What tells who sends a request, before anything else is done for it.
///
/// An api that has one denies what nobody has allowed: writes of a resource without a policy, a decorator or `PUBLIC`.
pub trait Identify: Send + Sync + 'static {
    /// Who sends it. A credential that is not good ends the request, if it was meant as one.
    fn identify<'a>(&'a self, cx: &'a mut Context) -> BoxFuture<'a, Result<Caller>>;
}
