//! Cross-origin resource sharing (CORS).

mod cors_policy;
mod origin;
mod settings;

pub use origin::Origin;
pub use settings::Cors;

pub(crate) use cors_policy::{CorsPolicy, CorsRequest};
