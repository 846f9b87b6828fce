//! Decorators (middleware): functions around an operation, each of which decides whether and how the next one runs.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;

use crate::access::Caller;
use crate::handle::Reply;
use crate::pipeline::context::Context;
use crate::pipeline::error::Result;
use crate::routing::Operations;

/// Wraps an operation (middleware in other frameworks). Implemented by every `async fn(Context, Next) -> Result<Reply>`
/// and by closures of that type.
///
/// ```
/// use model_resource::{Context, Error, Next, Reply, Result};
///
/// async fn only_on_weekdays(cx: Context, next: Next) -> Result<Reply> {
///     if cx.headers().contains_key("x-weekend") {
///         return Err(Error::forbidden("Come back on Monday."));
///     }
///     next.run(cx).await
/// }
/// # fn check(_: impl model_resource::Decorator) {}
/// # check(only_on_weekdays);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a decorator",
    label = "expected a decorator",
    note = "a decorator is an `async fn(Context, Next) -> Result<Reply>`, a closure of that shape, or a call such as `throttle(..)`"
)]
#[doc(alias = "middleware")]
pub trait Decorator: Send + Sync + 'static {
    /// Handles the request, usually by running `next` at some point.
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>>;

    /// URL parameters that the decorator requires. An api whose URL lacks one is rejected at startup.
    fn parameters(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// URL parameter that the decorator compares with the caller's key. An api is rejected at startup if the parameter
    /// identifies a row of another table than that of the accounts.
    fn caller_parameter(&self) -> Option<UrlParameter> {
        None
    }

    /// Query parameters that the decorator reads; a list does not treat them as filters.
    fn query_parameters(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Whether the decorator authorizes callers: whether it rejects those who may not use the operation.
    ///
    /// A write that neither a policy nor an authorizing decorator protects is denied by default, in an api that
    /// authenticates its callers. A plain function never authorizes; see [`guard`](crate::guard) and
    /// [`MethodDecorators::guard`](crate::MethodDecorators::guard).
    fn authorizes(&self) -> bool {
        false
    }

    /// Whether this caller can pass the decorator at all. Descriptions and pages leave out the actions that their
    /// reader cannot use; nothing is enforced by it, only by [`call`](Self::call).
    ///
    /// It is asked without a request. A decorator that also decides by the URL or the body answers `true` if some
    /// request of the caller may pass.
    ///
    /// ```
    /// use futures_util::future::BoxFuture;
    /// use model_resource::{Caller, Context, Decorator, Next, Reply, Result};
    ///
    /// struct StaffOnly;
    ///
    /// impl Decorator for StaffOnly {
    ///     fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
    ///         if self.allows(cx.caller()) {
    ///             next.run(cx)
    ///         } else {
    ///             Box::pin(async move { Err(cx.denied()) })
    ///         }
    ///     }
    ///
    ///     fn allows(&self, caller: &Caller) -> bool {
    ///         caller.has_role("staff")
    ///     }
    /// }
    /// ```
    fn allows(&self, caller: &Caller) -> bool {
        let _ = caller;
        true
    }

    /// Whether the decorator decides how often anonymous callers may write, so that the default rate of
    /// [`Api::anonymous_write_rate`](crate::Api::anonymous_write_rate) is not applied beside it.
    fn limits_rate(&self) -> bool {
        false
    }

    /// Whether the decorator handles each object of a bulk request without regard to the others: whether it neither
    /// reads nor writes rows of the table that the request writes to.
    ///
    /// New objects are then loaded before the transaction of the request begins, and what the decorator does with a reply
    /// is done after its end, so that others wait for less. As for a single object, the rows are then written even if
    /// the decorator turns the reply into an error. By default `false`: the decorator runs in the transaction, and sees
    /// the objects that were written before.
    fn is_independent(&self) -> bool {
        false
    }

    /// Whether nothing remains of the decorator's work if the request's transaction is rolled back: whether it has no
    /// effects but the writes to the store of the [`Context`], and keeps the transaction open for a short time only.
    ///
    /// A request with an `Idempotency-Key` can then be found to be a repetition at its end instead of its beginning, which
    /// takes less time. By default as [`is_independent`](Self::is_independent).
    fn is_transactional(&self) -> bool {
        self.is_independent()
    }

    /// Name in route lists.
    fn name(&self) -> &'static str {
        let name = std::any::type_name::<Self>();
        let name = name.split('<').next().unwrap_or(name);
        name.trim_end_matches("::{{closure}}")
            .rsplit("::")
            .next()
            .unwrap_or(name)
    }

    /// Operations whose object of this table the decorator loads.
    #[doc(hidden)]
    fn loads(&self, table: &'static Table) -> Operations {
        let _ = table;
        Operations::NONE
    }
}

impl<F, Fut> Decorator for F
where
    F: Fn(Context, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply>> + Send + 'static,
{
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        Box::pin(self(cx, next))
    }
}

/// URL parameter that a guard compares with the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlParameter {
    /// The last parameter.
    Last,
    /// The parameter of this name.
    Named(&'static str),
}

/// Handler of an operation or view, the innermost function of a chain.
pub(crate) type Handler = Arc<dyn Fn(Context) -> BoxFuture<'static, Result<Reply>> + Send + Sync>;

/// Handler with the decorators around it, the first one outermost.
pub(crate) struct Chain {
    pub(crate) name: String,
    pub(crate) decorators: Vec<Arc<dyn Decorator>>,
    pub(crate) handler: Handler,
    /// Whether the handler is that of the framework, which does nothing but write to the store.
    pub(crate) is_automatic: bool,
}

impl Chain {
    /// Whether the caller can pass every decorator, as far as that is known without a request.
    pub(crate) fn allows(&self, caller: &Caller) -> bool {
        self.decorators.iter().all(|decorator| decorator.allows(caller))
    }

    /// Runs the decorators and the handler.
    pub(crate) fn run(self: &Arc<Self>, cx: Context) -> BoxFuture<'static, Result<Reply>> {
        Next {
            chain: Arc::clone(self),
            position: 0,
        }
        .run(cx)
    }
}

/// Rest of the chain after a decorator.
pub struct Next {
    chain: Arc<Chain>,
    position: usize,
}

impl Next {
    /// Copies the rest of the chain, to run it again.
    pub(crate) fn again(&self) -> Self {
        Self {
            chain: Arc::clone(&self.chain),
            position: self.position,
        }
    }

    /// Runs the next decorator, or the handler after the last one.
    pub fn run(self, cx: Context) -> BoxFuture<'static, Result<Reply>> {
        let Self { chain, position } = self;
        match chain.decorators.get(position).map(Arc::clone) {
            Some(decorator) => decorator.call(
                cx,
                Next {
                    chain,
                    position: position + 1,
                },
            ),
            None => (chain.handler)(cx),
        }
    }
}
