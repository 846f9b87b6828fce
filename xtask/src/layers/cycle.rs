//! Cycles in the imports of a crate's files, and in the dependencies of the crates.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::Name;

/// Returns one cycle for every edge, from one name to another, that leads back to its start.
pub(super) fn cycles<'a>(edges: impl Iterator<Item = (&'a Name, &'a Name)>) -> Vec<Vec<Name>> {
    let mut graph: BTreeMap<&Name, BTreeSet<&Name>> = BTreeMap::new();
    for (from, to) in edges {
        graph.entry(from).or_default().insert(to);
    }
    let mut search = Search {
        graph: &graph,
        done: BTreeSet::new(),
        trail: Vec::new(),
        found: Vec::new(),
    };
    for start in graph.keys() {
        search.visit(start);
    }
    search.found
}

struct Search<'a> {
    graph: &'a BTreeMap<&'a Name, BTreeSet<&'a Name>>,
    done: BTreeSet<&'a Name>,
    trail: Vec<&'a Name>,
    found: Vec<Vec<Name>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, name: &'a Name) {
        if let Some(start) = self.trail.iter().position(|seen| *seen == name) {
            let mut cycle: Vec<Name> = self.trail[start..].iter().map(|name| (*name).clone()).collect();
            cycle.push(name.clone());
            self.found.push(cycle);
            return;
        }
        if !self.done.insert(name) {
            return;
        }
        self.trail.push(name);
        for next in self.graph.get(name).into_iter().flatten() {
            self.visit(next);
        }
        self.trail.pop();
    }
}
