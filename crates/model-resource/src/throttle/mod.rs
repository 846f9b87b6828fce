//! Rate limiting: a limiter that can be put around any operation, view or api.

mod counters;
mod limiter;
mod rate;

pub use limiter::{Throttle, throttle};
pub use rate::Rate;
