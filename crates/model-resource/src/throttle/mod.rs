//! Rate limiting: a limiter around operations, views, or all resources of an api.

mod anonymous;
mod counters;
mod limiter;
mod rate;

pub use anonymous::unthrottled;
pub use limiter::{Throttle, throttle};
pub use rate::Rate;

pub(crate) use anonymous::{AnonymousThrottle, default_anonymous_rate};
