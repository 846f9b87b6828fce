//! Role hierarchy.

use std::collections::HashMap;

/// Role hierarchy: the roles that each role includes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hierarchy(HashMap<String, Vec<String>>);

impl Hierarchy {
    pub(crate) fn add(&mut self, role: String, included: impl Iterator<Item = String>) {
        self.0.entry(role).or_default().extend(included);
    }

    /// Returns the roles and all roles that they include.
    pub(crate) fn expand(&self, mut roles: Vec<String>) -> Vec<String> {
        let mut next = 0;
        while let Some(role) = roles.get(next) {
            for included in self.0.get(role).into_iter().flatten() {
                if !roles.contains(included) {
                    roles.push(included.clone());
                }
            }
            next += 1;
        }
        roles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_includes_what_its_included_roles_include_also_in_a_circle() {
        let mut hierarchy = Hierarchy::default();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        hierarchy.add("admin".to_owned(), names(&["editor"]).into_iter());
        hierarchy.add("editor".to_owned(), names(&["author", "admin"]).into_iter());
        assert_eq!(hierarchy.expand(names(&["admin"])), ["admin", "editor", "author"]);
        assert_eq!(hierarchy.expand(names(&["author"])), ["author"]);
        assert_eq!(hierarchy.expand(Vec::new()), [""; 0]);
    }
}
