//! Which pages of other origins may use an api (CORS).

mod origin;
mod rules;
mod sharing;

pub use origin::Origin;
pub use rules::Cors;
pub(crate) use sharing::{CorsPolicy, CorsRequest};
