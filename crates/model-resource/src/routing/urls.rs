//! URLs of endpoints, by name.

use std::collections::HashMap;
use std::fmt::Display;

use crate::routing::rule::Rule;

/// Endpoints with their URLs.
#[derive(Debug, Default)]
pub(crate) struct Urls(HashMap<&'static str, Vec<Rule>>);

impl Urls {
    /// Adds an endpoint. Returns `false` if the name is taken.
    pub(crate) fn insert(&mut self, endpoint: &'static str, rules: Vec<Rule>) -> bool {
        self.0.insert(endpoint, rules).is_none()
    }

    /// Builds the URL of the endpoint that has exactly these parameters.
    pub(crate) fn url_for<V: Display>(
        &self,
        endpoint: &str,
        params: impl IntoIterator<Item = (&'static str, V)>,
    ) -> Result<String, String> {
        let params: Vec<(&str, String)> = params
            .into_iter()
            .map(|(name, value)| (name, value.to_string()))
            .collect();
        let rules = self
            .0
            .get(endpoint)
            .ok_or_else(|| format!("there is no endpoint `{endpoint}`"))?;
        let fits = |rule: &&Rule| {
            rule.names().len() == params.len()
                && params
                    .iter()
                    .all(|(name, _)| rule.names().iter().any(|n| n == name))
        };
        let rule = rules.iter().find(fits).ok_or_else(|| {
            let urls: Vec<&str> = rules.iter().map(Rule::as_str).collect();
            format!(
                "endpoint `{endpoint}` has no URL with just these parameters; it has {}",
                urls.join(", ")
            )
        })?;
        rule.build(|name| {
            params
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.as_str())
        })
    }
}
