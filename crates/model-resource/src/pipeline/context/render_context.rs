//! Request data that rendering a reply needs.

use std::sync::Arc;

use model_resource_schema::serializer::Visibility;

use crate::access::CallerPolicies;
use crate::pipeline::api_state::ApiState;
use crate::pipeline::context::request::Context;

/// Services of a request and the policies of its caller, for a reply whose rows are read after the request has ended.
#[derive(Clone)]
pub(crate) struct RenderContext {
    pub(crate) services: Arc<ApiState>,
    policies: Option<Arc<CallerPolicies>>,
}

impl RenderContext {
    /// Visibility of rows and columns for the caller; none without policies.
    pub(crate) fn visibility(&self) -> Option<Arc<dyn Visibility>> {
        let policies = self.policies.as_ref()?;
        Some(Arc::clone(policies) as Arc<dyn Visibility>)
    }
}

impl Context {
    pub(crate) fn render_context(&self) -> RenderContext {
        RenderContext {
            services: Arc::clone(&self.0.services),
            policies: self.caller_policies().cloned(),
        }
    }

    /// Extracts the render context from a request that has ended.
    pub(crate) fn into_render_context(self) -> RenderContext {
        let policies = self.caller_policies().cloned();
        RenderContext {
            services: self.0.services,
            policies,
        }
    }
}
