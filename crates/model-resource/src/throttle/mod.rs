//! How often something may be asked for: a limiter that can be put around anything.

mod counters;
mod limiter;
mod rate;

pub use limiter::{Throttle, throttle};
pub use rate::Rate;
