//! Default rate of anonymous writes.

use futures_util::future::BoxFuture;

use crate::handle::Reply;
use crate::pipeline::{Context, Decorator, Next, Result};
use crate::throttle::limiter::{Throttle, throttle};
use crate::throttle::rate::Rate;

/// Default rate of anonymous writes per client address.
pub(crate) fn default_anonymous_rate() -> Rate {
    Rate::per_minute(60)
}

/// Limits the writes of anonymous callers per client address. Clones share their counters.
#[derive(Clone)]
pub(crate) struct AnonymousThrottle(Throttle);

impl AnonymousThrottle {
    pub(crate) fn new(rate: Rate) -> Self {
        Self(throttle(rate).named("anonymous").by_address())
    }
}

impl Decorator for AnonymousThrottle {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        if cx.caller().is_authenticated() {
            next.run(cx)
        } else {
            self.0.call(cx, next)
        }
    }

    fn limits_rate(&self) -> bool {
        true
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "throttle"
    }
}

/// Removes the default rate of anonymous writes from the operations of a resource; see
/// [`Api::anonymous_write_rate`](crate::Api::anonymous_write_rate).
///
/// ```
/// use model_resource::{CREATE, MethodDecorators, unthrottled};
///
/// let decorators = MethodDecorators::none().on(CREATE, unthrottled());
/// ```
pub fn unthrottled() -> impl Decorator {
    Unthrottled
}

struct Unthrottled;

impl Decorator for Unthrottled {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        next.run(cx)
    }

    fn limits_rate(&self) -> bool {
        true
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "unthrottled"
    }
}
