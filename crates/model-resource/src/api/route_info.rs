//! What an api serves, as lines of a table.

use http::Method;

use crate::api::builder::Api;
use crate::api::compile::CompiledRoutes;
use crate::operation::Operation;

/// One HTTP method of one URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteInfo {
    /// The URL.
    pub url: String,
    /// The HTTP method.
    pub method: String,
    /// The operation; none for a view.
    pub operation: Option<Operation>,
    /// What handles it.
    pub handler: String,
    /// The decorators around it, the outermost first.
    pub decorators: Vec<&'static str>,
    /// Whether it writes for anyone by no rule, although the api can tell who asks: a write of a resource that says `PUBLIC`,
    /// or of a view that nothing guards.
    pub unguarded_write: bool,
    /// Whether it takes many objects at once.
    pub bulk: bool,
}

impl Api {
    /// Every URL and method that the api answers, in the order of registration.
    ///
    /// # Panics
    /// When something is registered wrongly, as [`Api::init_app`] does.
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

    /// The URL of an endpoint, for these parameters: `api.url_for("user_resource", [("id", 1)])`.
    ///
    /// It works everything out anew; in a handler, `cx.url_for` only looks up.
    ///
    /// # Panics
    /// When something is registered wrongly, as [`Api::init_app`] does.
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
