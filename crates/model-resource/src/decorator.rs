//! Decorators: functions around an operation, each deciding whether and how the next one runs.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;

use crate::context::Context;
use crate::error::Result;
use crate::operation::{Operation, Operations};
use crate::reply::Reply;

/// Wraps an operation. Any `async fn(Context, Next) -> Result<Reply>` is one, and so is a closure of that shape.
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
    note = "a decorator is an `async fn(Context, Next) -> Result<Reply>`, or a closure of that shape"
)]
pub trait Decorator: Send + Sync + 'static {
    /// Handles the request, usually by running `next` at some point.
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>>;

    /// The URL parameters without which it cannot work; an api whose URL lacks one is refused at start.
    fn parameters(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The parameters of the URL's query that it reads, which a list then does not take for filters.
    fn query_parameters(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Whether it decides who may pass, so that what stands behind it is not denied by default.
    fn guards(&self) -> Guards {
        Guards::Unsaid
    }

    /// The name in lists of routes.
    fn name(&self) -> &'static str {
        let name = std::any::type_name::<Self>();
        let name = name.split('<').next().unwrap_or(name);
        name.trim_end_matches("::{{closure}}")
            .rsplit("::")
            .next()
            .unwrap_or(name)
    }

    /// The operations whose object of this table the decorator loads.
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

/// What a decorator says of whether it decides who may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guards {
    /// It does.
    Yes,
    /// It lets everyone pass, as limits and loaders do.
    No,
    /// Nobody knows, as of every function. One that was put on an operation is taken for a guard of it, and one around a
    /// whole api, such as a log, is not.
    Unsaid,
}

/// Whether one of an operation's or a view's own decorators is taken to decide who may pass.
pub(crate) fn guarded(own: &[Arc<dyn Decorator>]) -> bool {
    own.iter().any(|decorator| decorator.guards() != Guards::No)
}

/// Says of a decorator that it decides who may pass, such as of a function around a whole api.
///
/// ```
/// use model_resource::{Api, Context, Next, Reply, Result, guard};
///
/// async fn staff_only(cx: Context, next: Next) -> Result<Reply> {
///     match cx.caller().has_role("staff") {
///         true => next.run(cx).await,
///         false => Err(cx.denied()),
///     }
/// }
///
/// let api = Api::new("intranet").decorator(guard(staff_only));
/// ```
pub fn guard(decorator: impl Decorator) -> impl Decorator {
    Guard(decorator)
}

struct Guard<D>(D);

impl<D: Decorator> Decorator for Guard<D> {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        self.0.call(cx, next)
    }

    fn parameters(&self) -> Vec<&'static str> {
        self.0.parameters()
    }

    fn query_parameters(&self) -> Vec<&'static str> {
        self.0.query_parameters()
    }

    fn guards(&self) -> Guards {
        Guards::Yes
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn loads(&self, table: &'static Table) -> Operations {
        self.0.loads(table)
    }
}

/// The innermost function: an operation's handler or a view.
pub(crate) type Handler = Arc<dyn Fn(Context) -> BoxFuture<'static, Result<Reply>> + Send + Sync>;

/// A handler and the decorators around it, the first one outermost.
pub(crate) struct Chain {
    pub(crate) name: String,
    pub(crate) decorators: Vec<Arc<dyn Decorator>>,
    pub(crate) handler: Handler,
}

impl Chain {
    /// Runs the decorators and the handler.
    pub(crate) fn run(self: &Arc<Self>, cx: Context) -> BoxFuture<'static, Result<Reply>> {
        Next {
            chain: Arc::clone(self),
            position: 0,
        }
        .run(cx)
    }
}

/// The rest of the chain, as a decorator sees it.
pub struct Next {
    chain: Arc<Chain>,
    position: usize,
}

impl Next {
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

/// A resource's own decorators: for every operation, or for some.
#[derive(Default, Clone)]
pub struct MethodDecorators(Vec<(Operations, Arc<dyn Decorator>)>);

impl MethodDecorators {
    /// No decorators.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a decorator to every operation. The first one listed is the outermost.
    pub fn every(self, decorator: impl Decorator) -> Self {
        self.on(Operations::ALL, decorator)
    }

    /// Adds a decorator to some operations: `.on(CREATE, d)`, `.on([PATCH, PUT], d)`.
    pub fn on(mut self, operations: impl Into<Operations>, decorator: impl Decorator) -> Self {
        self.0.push((operations.into(), Arc::new(decorator)));
        self
    }

    /// The decorators of one operation, the outermost first.
    pub(crate) fn of(&self, operation: Operation) -> impl Iterator<Item = Arc<dyn Decorator>> {
        self.0
            .iter()
            .filter(move |(on, _)| on.contains(operation))
            .map(|(_, decorator)| Arc::clone(decorator))
    }
}
