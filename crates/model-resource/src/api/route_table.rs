//! Routes of an api by URL. One URL may have several routes with different methods.

use std::sync::Arc;

use http::Method;

use crate::routing::{Route, Rule, UrlTree};

/// Groups routes by the paths that they match.
#[derive(Default)]
pub(super) struct RouteTable {
    groups: Vec<Vec<Route>>,
    positions: UrlTree<usize>,
}

impl RouteTable {
    /// Adds a route. Fails with the remedy if it cannot share its URL with an earlier one.
    pub(super) fn add(&mut self, route: Route) -> Result<(), String> {
        let next = self.groups.len();
        let earlier = self.positions.insert(&route.rule, next).err().copied();
        match earlier {
            None => self.groups.push(vec![route]),
            Some(position) => {
                check_shared_url(&self.groups[position], &route)?;
                self.groups[position].push(route);
            }
        }
        Ok(())
    }

    /// Name of what answers a method at exactly the paths of a rule.
    pub(super) fn answering(&self, rule: &Rule, method: &Method) -> Option<&str> {
        let group = &self.groups[*self.positions.get(rule)?];
        let mut actions = group.iter().filter_map(|route| route.action(method));
        actions.next().map(|action| action.chain.name.as_str())
    }

    /// Builds the lookup by path. A path matches with and without `stripped_prefix`, which a proxy may have removed.
    pub(super) fn into_tree(
        self,
        stripped_prefix: &str,
        mistakes: &mut Vec<String>,
    ) -> (Vec<Arc<Route>>, UrlTree<Arc<Route>>) {
        let (mut routes, mut tree) = (Vec::new(), UrlTree::default());
        for group in self.groups {
            let route = match Route::join(group) {
                Ok(route) => Arc::new(route),
                Err(mistake) => {
                    mistakes.push(mistake);
                    continue;
                }
            };
            for rule in with_and_without(&route.rule, stripped_prefix) {
                if let Err(earlier) = tree.insert(&rule, Arc::clone(&route)) {
                    mistakes.push(same_paths(&earlier.rule, &rule));
                }
            }
            routes.push(route);
        }
        (routes, tree)
    }
}

/// Returns the rule, and the rule without the prefix if it has one.
fn with_and_without(rule: &Rule, prefix: &str) -> Vec<Rule> {
    let mut rules = vec![rule.clone()];
    if let Some(rest) = rule.as_str().strip_prefix(prefix)
        && !prefix.is_empty()
    {
        let rest = if rest.is_empty() { "/" } else { rest };
        rules.extend(Rule::parse(rest));
    }
    rules
}

/// Rejects two resources at one URL, which would have two sources of `Location` and of operations. Also rejects two
/// names of one parameter, which would make `Params` depend on the method.
fn check_shared_url(group: &[Route], route: &Route) -> Result<(), String> {
    let conflicts = |earlier: &&Route| {
        (earlier.is_resource() && route.is_resource()) || earlier.rule.names() != route.rule.names()
    };
    match group.iter().find(conflicts) {
        Some(earlier) => Err(same_paths(&earlier.rule, &route.rule)),
        None => Ok(()),
    }
}

fn same_paths(earlier: &Rule, rule: &Rule) -> String {
    format!(
        "`{}` and `{}` take the same paths: change one of the URLs",
        earlier.as_str(),
        rule.as_str()
    )
}
