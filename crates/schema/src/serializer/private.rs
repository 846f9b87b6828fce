//! Private columns: projections for rows on which they are hidden.

use std::collections::HashSet;
use std::sync::Arc;

use crate::column::Table;
use crate::model::Row;
#[cfg(feature = "csv")]
use crate::serializer::declaration::ComputedField;
use crate::serializer::declaration::SerializerType;
use crate::serializer::projection::{FieldSource, OutputField, Projection, Restriction};
use crate::serializer::visibility::PrivateColumns;

impl Projection {
    /// Returns the projection without the private columns, if it contains any.
    pub(super) fn without(&self, private: PrivateColumns) -> Option<Restriction> {
        let is_private = |member: &OutputField| match &member.source {
            FieldSource::Column(column) => private.columns.contains(*column),
            FieldSource::Computed(computed) => computed.reads_any(private.columns),
            FieldSource::Related(..) | FieldSource::Values(..) => false,
        };
        let public: Vec<OutputField> = self
            .members
            .iter()
            .filter(|member| !is_private(member))
            .cloned()
            .collect();
        if public.len() == self.members.len() {
            return None;
        }
        let (envelope, expandable) = (self.envelope.clone(), Arc::clone(&self.expandable));
        let projection =
            Self::unrestricted(self.table, envelope, public, expandable, self.visibility.clone());
        Some(Restriction { private, projection })
    }

    /// Returns the projection for a row: this one, or the one without private columns.
    pub(super) fn of_row(&self, row: &dyn Row) -> &Self {
        match &self.restricted {
            Some(restricted) if !restricted.private.are_shown_on(row) => &restricted.projection,
            _ => self,
        }
    }

    /// Whether a computed field reads private columns that are hidden on this row.
    #[cfg(feature = "csv")]
    pub(super) fn is_private(&self, computed: &ComputedField, row: &dyn Row) -> bool {
        let private = self.restricted.as_ref().map(|restricted| &restricted.private);
        private.is_some_and(|private| computed.reads_any(private.columns) && !private.are_shown_on(row))
    }

    /// Returns model and name of a computed field that does not declare the columns it reads although its table
    /// matches. Searches this serializer and those that its relations lead to.
    pub fn undeclared_computed(
        &self,
        is_concerned: &dyn Fn(&'static Table) -> bool,
    ) -> Option<(&'static str, String)> {
        self.find_undeclared(is_concerned, &mut HashSet::new())
    }

    fn find_undeclared(
        &self,
        is_concerned: &dyn Fn(&'static Table) -> bool,
        seen: &mut HashSet<SerializerType>,
    ) -> Option<(&'static str, String)> {
        let here = |member: &OutputField| match &member.source {
            FieldSource::Computed(computed) => computed.reads.is_none() && is_concerned(self.table),
            FieldSource::Column(_) | FieldSource::Related(..) | FieldSource::Values(..) => false,
        };
        if let Some(member) = self.members.iter().find(|member| here(member)) {
            return Some((self.table.model, member.name.clone()));
        }
        let nested = self.members.iter().find_map(|member| match &member.source {
            FieldSource::Related(_, projection) => projection.find_undeclared(is_concerned, seen),
            FieldSource::Column(_) | FieldSource::Computed(_) | FieldSource::Values(..) => None,
        });
        nested.or_else(|| {
            let mut relations = self.expandable.iter();
            relations.find_map(|relation| {
                let is_new = seen.insert(relation.serializer());
                is_new.then(|| relation.projection().find_undeclared(is_concerned, seen))?
            })
        })
    }

    /// Whether the member of this name is left out of some rows.
    pub(super) fn hides_on_some_rows(&self, name: &str) -> bool {
        let restricted = self.restricted.as_ref();
        restricted.is_some_and(|restricted| !restricted.projection.names().any(|public| public == name))
    }

    /// Whether a column is a member.
    #[cfg(feature = "csv")]
    pub(super) fn writes(&self, column: usize) -> bool {
        let is_column =
            |member: &OutputField| matches!(member.source, FieldSource::Column(own) if own == column);
        self.members.iter().any(is_column)
    }

    /// Projection of the fields that a query may use. A filter or order by a private column would reveal its values
    /// on rows where it is hidden.
    pub(super) fn nameable(&self) -> &Self {
        self.restricted
            .as_ref()
            .map_or(self, |restricted| &restricted.projection)
    }
}
