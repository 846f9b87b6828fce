//! `Link` header to the description of the api (RFC 8631).

use http::HeaderValue;

use crate::pipeline::{ApiState, Context};
use crate::routing::Rule;

/// Links to the documents that describe the api.
pub(crate) struct ServiceLink {
    /// Relation and URL of each document.
    documents: Vec<(&'static str, Rule)>,
    /// Header for requests that no outer router has changed the URL of, if the prefix of the api has no parameter.
    fixed: Option<HeaderValue>,
}

impl ServiceLink {
    /// Creates the links; `None` without a document.
    pub(crate) fn new(services: &ApiState) -> Option<Self> {
        let documents = services
            .documents()
            .map(|(_, relation, rule)| (relation, rule.clone()));
        let documents: Vec<_> = documents.collect();
        if documents.is_empty() {
            return None;
        }
        let is_fixed = documents.iter().all(|(_, rule)| rule.names().is_empty());
        let links = documents
            .iter()
            .map(|(relation, rule)| link(relation, rule.as_str()));
        let fixed = is_fixed.then(|| joined(links)).flatten();
        Some(Self { documents, fixed })
    }

    /// Header of the response to a request.
    pub(crate) fn header(&self, cx: &Context) -> Option<HeaderValue> {
        if self.fixed.is_some() && cx.outer_prefix().is_empty() {
            return self.fixed.clone();
        }
        let links = self.documents.iter().filter_map(|(relation, rule)| {
            let url = rule.build(|name| cx.params().get(name)).ok()?;
            Some(link(relation, &cx.external_url(url)))
        });
        joined(links)
    }
}

fn link(relation: &str, url: &str) -> String {
    format!("<{url}>; rel=\"{relation}\"")
}

fn joined(links: impl Iterator<Item = String>) -> Option<HeaderValue> {
    HeaderValue::try_from(links.collect::<Vec<_>>().join(", ")).ok()
}
