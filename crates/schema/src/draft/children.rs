//! Changes of related rows, which are written together with the row that they refer to.

use crate::clock::Clock;
use crate::column::Table;
use crate::draft::any_draft::{AnyDraft, ChildDraft, ChildDrafts, ChildPlace, RelatedDrafts, TableRef};
use crate::errors::Errors;

impl ChildDrafts {
    /// No changes of a relation.
    pub fn new(name: &'static str, table: &'static Table, foreign_key: usize) -> Self {
        Self {
            name,
            table: TableRef(table),
            foreign_key,
            created: Vec::new(),
            updated: Vec::new(),
            removed: Vec::new(),
            replaced: None,
        }
    }

    /// Table of the related rows.
    pub fn table(&self) -> &'static Table {
        self.table.0
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        let is_unchanged = |child: &ChildDraft| child.draft.changes(&Clock::system()).values.is_empty();
        self.created.is_empty() && self.removed.is_empty() && self.updated.iter().all(is_unchanged)
    }

    /// Errors of one related object, under its path in the body.
    pub fn errors_at(&self, place: ChildPlace, errors: Errors) -> Errors {
        let mut whole = Errors::new();
        whole.nest(self.name, place.errors(errors));
        whole
    }
}

impl ChildPlace {
    /// Errors of the object here, under its path below the relation.
    pub fn errors(self, errors: Errors) -> Errors {
        let mut list = Errors::new();
        list.nest_index(self.index, errors);
        let Some(member) = self.member else {
            return list;
        };
        let mut changes = Errors::new();
        changes.nest(member, list);
        changes
    }
}

impl AnyDraft {
    /// Keeps the text of a relation until the related objects are loaded.
    pub(crate) fn set_related_text(&mut self, name: &'static str, text: String) {
        self.related().texts.push((name, text));
    }

    /// Takes out the texts of relations in the body.
    pub fn take_related_texts(&mut self) -> Vec<(&'static str, String)> {
        match &mut self.related {
            Some(related) => std::mem::take(&mut related.texts),
            None => Vec::new(),
        }
    }

    /// Adds the changes of a relation's rows.
    pub fn add_children(&mut self, children: ChildDrafts) {
        self.related().children.push(children);
    }

    /// Lets an update set the time of the last change and the version, also if no other column changes.
    pub fn touch(&mut self) {
        self.related().is_touched = true;
    }

    pub(super) fn is_touched(&self) -> bool {
        self.related.as_ref().is_some_and(|related| related.is_touched)
    }

    /// Changes of related rows.
    pub fn children(&self) -> &[ChildDrafts] {
        self.related
            .as_ref()
            .map_or(&[], |related| related.children.as_slice())
    }

    /// Takes out the changes of related rows.
    pub fn take_children(&mut self) -> Vec<ChildDrafts> {
        match &mut self.related {
            Some(related) => std::mem::take(&mut related.children),
            None => Vec::new(),
        }
    }

    fn related(&mut self) -> &mut RelatedDrafts {
        self.related.get_or_insert_default()
    }
}
