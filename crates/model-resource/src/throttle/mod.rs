//! Rate limiting: a limiter around operations, views, or all resources of an api.

mod counters;
mod limiter;
mod rate;

pub use limiter::{Throttle, throttle};
pub use rate::Rate;
