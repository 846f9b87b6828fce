//! What tells who sends a request.

use std::any::Any;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;

use crate::caller::Caller;
use crate::context::Context;
use crate::error::Result;

/// What tells who sends a request, before any decorator runs.
///
/// An api that has one denies what nobody has allowed: writes of a resource without a policy, a guarding decorator or `PUBLIC`.
/// Without one, all callers are anonymous.
///
/// ```
/// use model_resource::{Caller, Context, Authenticate, Result};
///
/// /// Whoever knows the word is the operator.
/// struct ByWord(&'static str);
///
/// impl Authenticate for ByWord {
///     async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
///         let said = cx.headers().get("x-word").is_some_and(|word| word == self.0);
///         Ok(if said { Caller::of(1).with_roles(["operator"]) } else { Caller::anonymous() })
///     }
/// }
/// ```
pub trait Authenticate: Send + Sync + 'static {
    /// Who sends it. A credential that is not good ends the request, if it was meant as one.
    fn authenticate(&self, cx: &mut Context) -> impl Future<Output = Result<Caller>> + Send;

    /// The table whose primary key is the caller's key, if there is one. An api refuses guards at start that compare the
    /// caller with a URL parameter which identifies a row of another table.
    fn accounts(&self) -> Option<&'static Table> {
        None
    }
}

/// The same without its type.
pub(crate) trait AnyAuthenticate: Any + Send + Sync {
    fn authenticate_any<'a>(&'a self, cx: &'a mut Context) -> BoxFuture<'a, Result<Caller>>;

    fn accounts_any(&self) -> Option<&'static Table>;
}

impl<I: Authenticate> AnyAuthenticate for I {
    fn authenticate_any<'a>(&'a self, cx: &'a mut Context) -> BoxFuture<'a, Result<Caller>> {
        Box::pin(self.authenticate(cx))
    }

    fn accounts_any(&self) -> Option<&'static Table> {
        self.accounts()
    }
}
