//! Content of the index: the resources and views that the caller can use.

use serde_json::{Map, Value, json};

use crate::description::{ActionDescription, ApiDescription};
use crate::pipeline::Context;
use crate::routing::Rule;

/// URLs as the client of a request sees them.
pub(super) struct Links<'c>(&'c Context);

impl<'c> Links<'c> {
    pub(super) fn of(cx: &'c Context) -> Self {
        Self(cx)
    }

    /// URL with the parameters of the prefix filled in and the others as `{name}`.
    fn url(&self, rule: &Rule) -> String {
        let url = rule.template(|name| self.0.params().get(name));
        self.0.external_url(url)
    }

    /// URL of an action.
    fn of_action(&self, url: &str) -> String {
        Rule::parse(url).map_or_else(|_| url.to_owned(), |rule| self.url(&rule))
    }
}

/// The index.
pub(super) fn index(api: &ApiDescription, links: &Links<'_>) -> Value {
    let documents = links.0.services().documents();
    let documents = documents.map(|(name, _, rule)| (name.to_owned(), links.url(rule).into()));
    let documents: Map<String, Value> = documents.collect();
    json!({
        "name": api.name,
        "links": documents,
        "resources": resources(api, links),
        "views": views(api, links),
    })
}

/// Resources in the order of registration, each with the operations at its URLs.
fn resources(api: &ApiDescription, links: &Links<'_>) -> Vec<Value> {
    let resources = api.resources.iter().map(|resource| {
        let actions = || {
            api.actions
                .iter()
                .filter(|action| action.endpoint == resource.endpoint)
        };
        let mut urls: Vec<&str> = Vec::new();
        for action in actions() {
            if !urls.contains(&action.route.url.as_str()) {
                urls.push(&action.route.url);
            }
        }
        let urls = urls.into_iter().map(|url| {
            let own = actions().filter(|action| action.route.url == url);
            json!({"url": links.of_action(url), "operations": operations(own.map(|action| &**action))})
        });
        let urls: Vec<Value> = urls.collect();
        let title = api
            .model(resource.model)
            .map_or(resource.model, |model| &model.plural);
        json!({
            "name": resource.endpoint,
            "model": resource.model,
            "title": title,
            "description": resource.description,
            "url": urls.first().map_or(Value::Null, |first| first["url"].clone()),
            "urls": urls,
        })
    });
    resources.filter(|resource| !resource["url"].is_null()).collect()
}

fn operations<'a>(actions: impl Iterator<Item = &'a ActionDescription>) -> Vec<Value> {
    let described = actions
        .filter(|action| action.route.method != "HEAD")
        .map(|action| {
            let operation = action.route.operation.map(|operation| operation.name());
            json!({
                "operation": if action.restores { Some("restore") } else { operation },
                "method": action.route.method,
                "many": action.max_bulk.is_some(),
            })
        });
    described.collect()
}

fn views(api: &ApiDescription, links: &Links<'_>) -> Vec<Value> {
    let views = api
        .actions
        .iter()
        .filter(|action| action.route.operation.is_none() && !action.restores);
    let views = views.filter(|action| action.route.method != "HEAD");
    let described = views.map(|action| {
        json!({
            "name": action.endpoint,
            "title": action.summary,
            "method": action.route.method,
            "url": links.of_action(&action.route.url),
        })
    });
    described.collect()
}
