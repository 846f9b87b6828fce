//! Decorators that a resource puts around its operations.

use std::sync::Arc;

use crate::access::guard;
use crate::pipeline::Decorator;
use crate::routing::{Operation, Operations};

/// Decorators of a resource: for every operation, or for some. The first one listed is the outermost, whether it is a
/// guard or not.
///
/// ```
/// use model_resource::{Context, DELETE, MethodDecorators, Next, PATCH, PUT, Reply, Result};
///
/// async fn timed(cx: Context, next: Next) -> Result<Reply> {
///     let start = std::time::Instant::now();
///     let reply = next.run(cx).await;
///     tracing::info!(elapsed = ?start.elapsed(), "handled");
///     reply
/// }
///
/// async fn staff_only(cx: Context, next: Next) -> Result<Reply> {
///     if !cx.caller().has_role("staff") {
///         return Err(cx.denied());
///     }
///     next.run(cx).await
/// }
///
/// let decorators = MethodDecorators::none()
///     .every(timed)
///     .guard([PUT, PATCH, DELETE], staff_only);
/// ```
#[derive(Default, Clone)]
pub struct MethodDecorators(Vec<(Operations, Arc<dyn Decorator>)>);

impl MethodDecorators {
    /// Creates an empty list.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a decorator to every operation.
    pub fn every(self, decorator: impl Decorator) -> Self {
        self.on(Operations::ALL, decorator)
    }

    /// Adds a decorator to some operations: `.on(CREATE, d)`, `.on([PATCH, PUT], d)`.
    pub fn on(mut self, operations: impl Into<Operations>, decorator: impl Decorator) -> Self {
        self.0.push((operations.into(), Arc::new(decorator)));
        self
    }

    /// Adds a decorator that authorizes the callers of some operations: `.guard(CREATE, staff_only)`. Only a guard or a
    /// policy opens the writes of an api that authenticates its callers; see [`Decorator::authorizes`].
    pub fn guard(self, operations: impl Into<Operations>, decorator: impl Decorator) -> Self {
        self.on(operations, guard(decorator))
    }

    /// Adds other decorators inside these.
    pub fn and(mut self, inner: Self) -> Self {
        self.0.extend(inner.0);
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
