//! The one api of this application, and the attributes that register views with it: `#[api::model_resource(..)]`.

pub use model_resource::{model_resource, route};

use crate::api::Api;

/// What its URLs begin with.
pub const PREFIX: &str = "/api/v1";

/// The api, with nothing registered yet.
pub fn api() -> Api {
    Api::new("backend").prefix(PREFIX)
}
