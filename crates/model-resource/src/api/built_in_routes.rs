//! Routes of the views of the framework itself.

use std::sync::Arc;

use http::Method;

use crate::access::ActionAccess;
use crate::api::builder::Api;
use crate::api::route_table::RouteTable;
use crate::pipeline::Chain;
use crate::render::{JsonRepresentation, Negotiation, Representations};
use crate::resource::BuiltInView;
use crate::routing::{Action, ActionDocs, Route, Rule, UrlBinding};
#[cfg(any(feature = "openapi", feature = "pages"))]
use crate::{resource_index::index_view, routing::BuiltInUrl};

const JSON: &str = "application/json";

impl Api {
    /// Adds a view of the framework.
    #[cfg_attr(
        not(feature = "openapi"),
        expect(dead_code, reason = "no feature has such a view")
    )]
    pub(crate) fn built_in(mut self, view: BuiltInView) -> Self {
        self.built_in.push(view);
        self
    }

    /// Whether an index of the resources is served: together with the document or the pages. At the root of an application
    /// with routes of its own it would take the place of a page.
    #[cfg(any(feature = "openapi", feature = "pages"))]
    fn has_index(&self) -> bool {
        let is_root = self.join_url("").is_empty();
        !(self.built_in.is_empty() || is_root && self.app.has_routes())
    }

    /// Name of the api.
    #[cfg(feature = "docs")]
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// URLs of the views of the framework.
    #[cfg(any(feature = "openapi", feature = "pages"))]
    pub(super) fn built_in_urls(&self) -> Vec<BuiltInUrl> {
        let index = (String::new(), None);
        let views = self.built_in.iter().map(|view| (view.url.clone(), view.document));
        let urls = views.chain([index]).filter_map(|(path, document)| {
            let rule = Rule::parse(&self.built_in_url(&path)).ok()?;
            Some(BuiltInUrl { path, rule, document })
        });
        urls.collect()
    }

    /// Whole URL of a view of the framework.
    fn built_in_url(&self, path: &str) -> String {
        match self.join_url(path) {
            root if root.is_empty() => "/".to_owned(),
            joined => joined,
        }
    }

    /// Adds the views of the framework to the routes of the application. A URL that both answer is a mistake, unless the
    /// view is replaceable.
    pub(super) fn add_built_in_routes(&self, table: &mut RouteTable, mistakes: &mut Vec<String>) {
        #[cfg(any(feature = "openapi", feature = "pages"))]
        let index = self.has_index().then(index_view);
        #[cfg(not(any(feature = "openapi", feature = "pages")))]
        let index = None::<BuiltInView>;
        for view in self.built_in.iter().chain(&index) {
            let url = self.built_in_url(&view.url);
            // A mistake in the prefix is reported with the URLs of the application.
            let Ok(rule) = Rule::parse(&url) else {
                continue;
            };
            match table.answering(&rule, &Method::GET) {
                Some(_) if view.is_replaceable => {}
                Some(other) => mistakes.push(format!(
                    "`{url}` is answered by {other} and by `{}`: change the URL of {other}",
                    view.name
                )),
                None => mistakes.extend(table.add(built_in_route(view, rule)).err()),
            }
        }
    }
}

fn built_in_route(view: &BuiltInView, rule: Rule) -> Route {
    let binding = Arc::new(UrlBinding::of_view(&rule));
    let chain = Chain {
        name: view.name.to_owned(),
        decorators: Vec::new(),
        handler: Arc::clone(&view.handler),
        is_automatic: false,
    };
    // Whatever a client accepts, such as a stylesheet, the view has one representation.
    let json = Representations::none().with_render(JSON, JsonRepresentation);
    let negotiation = Negotiation::new(&Representations::none(), &json, Some(JSON));
    let action = Action {
        source: view.source,
        operation: None,
        chain: Arc::new(chain),
        bulk: None,
        binding: Arc::clone(&binding),
        access: ActionAccess::Open,
        negotiation: Arc::new(negotiation),
        reads_format: false,
        list: None,
        docs: ActionDocs::default(),
        schemas: None,
    };
    Route::new(rule, binding, vec![(Method::GET, Arc::new(action))], None)
}
