//! The one api of this application, and the attributes that register views with it: `#[api::model_resource(..)]`.

pub use model_resource::{model_resource, route};

use crate::api::Api;

/// The api, with nothing registered yet.
pub fn api() -> Api {
    Api::new("backend").prefix("/api/v1")
}
