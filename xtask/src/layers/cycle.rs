//! Cycles in the imports of a crate's files.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::{Edge, Name};

/// Returns one cycle for every import that leads back to its start.
pub(super) fn cycles(edges: &[Edge]) -> Vec<Vec<Name>> {
    let mut graph: BTreeMap<&Name, BTreeSet<&Name>> = BTreeMap::new();
    for edge in edges {
        graph.entry(&edge.from).or_default().insert(&edge.to);
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
