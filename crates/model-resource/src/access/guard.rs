//! Guards: decorators that authorize callers, and the default protection of writes without one.

use std::future::ready;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;

use crate::access::action_access::ActionAccess;
use crate::access::caller::Caller;
use crate::handle::Reply;
use crate::pipeline::{Context, Decorator, LoadedObject, Next, Result, UrlParameter};
use crate::routing::{Operation, Operations};

/// Whether one of the decorators authorizes callers.
pub(crate) fn is_guarded(decorators: &[Arc<dyn Decorator>]) -> bool {
    decorators.iter().any(|decorator| decorator.authorizes())
}

/// Marks a decorator as one that authorizes callers, so that the writes behind it are not denied by default.
///
/// For the operations of one resource there is [`MethodDecorators::guard`](crate::MethodDecorators::guard), and for a view `#[route(.., guards = [..])]`.
///
/// ```
/// use model_resource::{Api, Context, Next, Reply, Result, guard};
///
/// async fn staff_only(cx: Context, next: Next) -> Result<Reply> {
///     if !cx.caller().has_role("staff") {
///         return Err(cx.denied());
///     }
///     next.run(cx).await
/// }
///
/// let api = Api::new("intranet").decorator(guard(staff_only));
/// ```
#[doc(alias = "permission")]
pub fn guard(decorator: impl Decorator) -> impl Decorator {
    GuardDecorator(decorator)
}

struct GuardDecorator<D>(D);

impl<D: Decorator> Decorator for GuardDecorator<D> {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        self.0.call(cx, next)
    }

    fn parameters(&self) -> Vec<&'static str> {
        self.0.parameters()
    }

    fn caller_parameter(&self) -> Option<UrlParameter> {
        self.0.caller_parameter()
    }

    fn query_parameters(&self) -> Vec<&'static str> {
        self.0.query_parameters()
    }

    fn authorizes(&self) -> bool {
        true
    }

    fn allows(&self, caller: &Caller) -> bool {
        self.0.allows(caller)
    }

    fn limits_rate(&self) -> bool {
        self.0.limits_rate()
    }

    fn is_independent(&self) -> bool {
        self.0.is_independent()
    }

    fn is_transactional(&self) -> bool {
        self.0.is_transactional()
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn loads(&self, table: &'static Table) -> Operations {
        self.0.loads(table)
    }
}

/// Default protection of a resource's writes without a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultAccess {
    /// None, because the api has no authenticator and the model no policy.
    Open,
    /// By the policy of the model.
    ByPolicy {
        /// Whether the policy lets anyone create rows, in an api with an authenticator.
        anyone_creates: bool,
    },
    /// All writes are denied.
    Denied,
}

impl DefaultAccess {
    /// Access rule of a resource's operation; `is_public` is whether the resource opens its writes to anyone.
    pub(crate) fn of_operation(
        self,
        operation: Operation,
        is_guarded: bool,
        is_public: bool,
    ) -> ActionAccess {
        match self {
            _ if is_guarded => ActionAccess::Guard,
            DefaultAccess::Open => ActionAccess::Open,
            DefaultAccess::ByPolicy { anyone_creates: true } if operation == Operation::Create => {
                ActionAccess::PublicWrite
            }
            DefaultAccess::ByPolicy { .. } => ActionAccess::Policy,
            DefaultAccess::Denied if !operation.writes() => ActionAccess::Open,
            DefaultAccess::Denied if is_public => ActionAccess::PublicWrite,
            DefaultAccess::Denied => ActionAccess::Denied,
        }
    }
}

/// Denies every request.
pub(crate) struct Deny;

impl Decorator for Deny {
    fn call(&self, cx: Context, _: Next) -> BoxFuture<'static, Result<Reply>> {
        Box::pin(ready(Err(cx.denied())))
    }

    fn allows(&self, _: &Caller) -> bool {
        false
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "deny"
    }
}

/// Checks the policy for a custom `create` without a loader that does.
pub(crate) struct RequireCreate {
    pub(crate) table: &'static Table,
}

impl Decorator for RequireCreate {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        match cx.access(self.table).require_create() {
            Ok(()) => next.run(cx),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "require_create"
    }
}

/// Checks the policy for a custom `delete` that does not take the object.
pub(crate) struct RequireDelete {
    pub(crate) table: &'static Table,
}

impl Decorator for RequireDelete {
    fn call(&self, mut cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let table = self.table;
        Box::pin(async move {
            if let Some(LoadedObject::Key(key)) = &cx.loaded_mut().object {
                let key = key.clone();
                cx.access(table).require_permitted(key).await?;
            }
            next.run(cx).await
        })
    }

    fn is_transactional(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "require_delete"
    }
}
