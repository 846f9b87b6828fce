//! The application's api, and the attributes that register views with it: `#[api::model_resource(..)]`.

pub use model_resource::{model_resource, route};

use crate::api::Api;

/// Prefix of the api's URLs.
pub const PREFIX: &str = "/api/v1";

/// Returns the api without any registration.
pub fn api() -> Api {
    Api::new("backend").prefix(PREFIX)
}
