//! Lookup of a projection's fields by name.

use std::sync::Arc;

use crate::data_type::DataType;
use crate::serializer::declaration::RelationColumns;
use crate::serializer::projection::{FieldSource, OutputField, Projection};

impl Projection {
    /// Data type of a column member; `None` if the member is computed or related.
    pub fn data_type(&self, name: &str) -> Option<DataType> {
        let column = self.column(name)?;
        Some(self.table.columns[column].data_type)
    }

    /// Names of the members, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// Names of all members and expandable relations.
    pub(super) fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names().chain(self.expandable_names())
    }

    /// Names of members that are not columns.
    pub(super) fn names_beside_columns(&self) -> impl Iterator<Item = &str> {
        let is_column = |member: &&OutputField| matches!(member.source, FieldSource::Column(_));
        let members = self.members.iter().filter(move |member| !is_column(member));
        members.map(|member| member.name.as_str())
    }

    /// Names of the expandable relations.
    pub(super) fn expandable_names(&self) -> impl Iterator<Item = &str> {
        self.expandable().map(|relation| relation.name)
    }

    /// Returns the column that a query may use under this name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let mut members = self.nameable().members.iter();
        let member = members.find(|member| member.name == name)?;
        match member.source {
            FieldSource::Column(column) => Some(column),
            FieldSource::Computed(_) | FieldSource::Related(..) => None,
        }
    }

    pub(super) fn related(&self, name: &str) -> Option<(RelationColumns, Arc<Projection>)> {
        let nested = self.members.iter().find(|member| member.name == name);
        if let Some(OutputField {
            source: FieldSource::Related(link, projection),
            ..
        }) = nested
        {
            return Some((*link, Arc::clone(projection)));
        }
        let relation = self.expandable().find(|relation| relation.name == name)?;
        Some((relation.link, self.related_projection(relation)))
    }
}
