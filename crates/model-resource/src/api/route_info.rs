//! Route list of an api.

use http::Method;

use crate::api::builder::Api;
use crate::api::compile::CompiledRoutes;
use crate::routing::Operation;

/// One HTTP method of one URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteInfo {
    /// URL rule.
    pub url: String,
    /// HTTP method.
    pub method: String,
    /// Operation; `None` for a view.
    pub operation: Option<Operation>,
    /// Name of the handler.
    pub handler: String,
    /// Names of the decorators, the outermost first.
    pub decorators: Vec<&'static str>,
    /// Whether the method is a write that no policy or guard protects, in an api with an authenticator: a write of a
    /// resource with `PUBLIC`, or of a view without a guard.
    pub unguarded_write: bool,
    /// Whether the method takes many objects at once.
    pub bulk: bool,
}

impl Api {
    /// Every URL and method that the api answers, in the order of registration.
    ///
    /// # Panics
    /// If something is registered wrongly, like [`Api::init_app`].
    #[track_caller]
    pub fn routes(&self) -> Vec<RouteInfo> {
        let mut lines = Vec::new();
        for route in self.require_compiled().routes {
            for method in route
                .methods()
                .iter()
                .filter(|method| **method != Method::OPTIONS)
            {
                let Ok(chain) = route.chain(method) else { continue };
                lines.push(RouteInfo {
                    url: route.rule.as_str().to_owned(),
                    method: method.as_str().to_owned(),
                    operation: route.operation(method),
                    handler: chain.name.clone(),
                    decorators: chain
                        .decorators
                        .iter()
                        .map(|decorator| decorator.name())
                        .collect(),
                    unguarded_write: self.security.is_some() && route.is_public(method),
                    bulk: route.bulk(method).is_some(),
                });
            }
        }
        lines
    }

    /// Builds the URL of an endpoint: `api.url_for("user_resource", [("id", 1)])`.
    ///
    /// The method compiles all routes; in a handler, `cx.url_for` only looks one up.
    ///
    /// # Panics
    /// If something is registered wrongly, like [`Api::init_app`].
    #[track_caller]
    pub fn url_for<V: std::fmt::Display>(
        &self,
        endpoint: &str,
        params: impl IntoIterator<Item = (&'static str, V)>,
    ) -> Result<String, String> {
        self.require_compiled().urls.url_for(endpoint, params)
    }

    #[track_caller]
    fn require_compiled(&self) -> CompiledRoutes {
        let built = self.build();
        assert!(
            built.mistakes.is_empty(),
            "the api cannot be served:\n- {}",
            built.mistakes.join("\n- ")
        );
        built
    }
}
