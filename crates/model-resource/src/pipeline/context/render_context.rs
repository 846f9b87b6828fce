//! Request data that rendering a reply needs.

use std::sync::Arc;

use model_resource_schema::serializer::Visibility;

use crate::access::{Caller, PolicyView};
use crate::pipeline::api_state::ApiState;
use crate::pipeline::context::request::Context;

/// Services and caller of a request, for a reply whose rows are read after the request has ended.
#[derive(Clone)]
pub(crate) struct RenderContext {
    pub(crate) services: Arc<ApiState>,
    caller: Caller,
}

impl RenderContext {
    /// Visibility of rows and columns for the caller; none without policies.
    pub(crate) fn visibility(&self) -> Option<Arc<dyn Visibility>> {
        caller_visibility(&self.services, &self.caller)
    }
}

impl Context {
    pub(crate) fn render_context(&self) -> RenderContext {
        RenderContext {
            services: Arc::clone(&self.0.services),
            caller: self.0.caller.clone(),
        }
    }

    /// Extracts the render context from a request that has ended.
    pub(crate) fn into_render_context(self) -> RenderContext {
        let inner = *self.0;
        RenderContext {
            services: inner.services,
            caller: inner.caller,
        }
    }
}

/// Visibility of rows and columns for a caller; none without policies.
pub(crate) fn caller_visibility(services: &ApiState, caller: &Caller) -> Option<Arc<dyn Visibility>> {
    let policies = &services.policies;
    (!policies.is_empty()).then(|| {
        Arc::new(PolicyView {
            policies: Arc::clone(policies),
            caller: caller.clone(),
        }) as Arc<dyn Visibility>
    })
}
