//! Sparse fieldsets and expansion: the projection that a client requests.

use std::sync::Arc;

use crate::naming;
use crate::serializer::field_error::FieldError;
use crate::serializer::projection::{FieldSource, OutputField, Projection};

/// Requested fields and relations; dots separate a relation from its fields.
#[derive(Debug, Default, Clone)]
pub struct Selection<'n> {
    /// Only these members; all if empty.
    pub fields: Vec<&'n str>,
    /// Relations to expand.
    pub expand: Vec<&'n str>,
}

impl Projection {
    /// Returns the projection with the requested members and the expanded relations.
    pub fn select(&self, selection: &Selection<'_>) -> Result<Self, FieldError> {
        let (mut members, mut requested) = (Vec::new(), selection.fields.clone());
        for member in self.members.iter().cloned().chain(self.expanded(selection)) {
            let is_meant = |name: &&'_ str| member.is_meant_by(name);
            let is_expanded = selection.expand.iter().any(is_meant);
            if selection.fields.is_empty() || is_expanded || requested.iter().any(is_meant) {
                requested.retain(|name| !is_meant(name));
                members.push(member.select(selection)?);
            }
        }
        let unwritten = requested.first().map(|name| self.unwritten(name));
        match unwritten.or_else(|| self.not_expandable(selection)) {
            Some(error) => Err(error),
            None => Ok(self.with_members(members)),
        }
    }

    /// Returns the projection with these relations expanded, too.
    pub fn with_relations(&self, relations: &[&str]) -> Result<Self, FieldError> {
        let is_written = |relation: &&&str| self.members.iter().any(|member| member.name == ***relation);
        let missing = relations.iter().filter(|relation| !is_written(relation));
        self.select(&Selection {
            fields: Vec::new(),
            expand: missing.copied().collect(),
        })
    }

    /// Returns the projection without computed fields, for rows that are not complete instances of the model.
    pub fn without_computed(&self) -> Self {
        let members = self.members.iter();
        let members = members.filter(|member| !matches!(member.source, FieldSource::Computed(_)));
        self.with_members(members.cloned().collect())
    }

    /// Returns the relations to expand, as members.
    fn expanded(&self, selection: &Selection<'_>) -> impl Iterator<Item = OutputField> {
        let requested = self.expandable().filter(|relation| {
            let mut names = selection.expand.iter();
            names.any(|name| strip_relation(name, relation.name).is_some())
        });
        requested.map(|relation| OutputField {
            name: relation.name.to_owned(),
            source: match relation.link.member {
                Some(_) => FieldSource::Values(relation.link, relation.table),
                None => FieldSource::Related(relation.link, self.related_projection(relation)),
            },
        })
    }

    /// Returns the reason why a name is not among the members.
    fn unwritten(&self, name: &str) -> FieldError {
        let mut relations = self.expandable_names();
        match relations.find(|relation| strip_relation(name, relation).is_some()) {
            Some(relation) => FieldError::NotExpanded(relation.to_owned()),
            None => {
                let near = naming::nearest(head(name), self.names());
                FieldError::unknown(name, near.map(str::to_owned))
            }
        }
    }

    /// Returns the error for an expansion that is not a relation.
    fn not_expandable(&self, selection: &Selection<'_>) -> Option<FieldError> {
        let is_relation =
            |name: &str| strip_relation(name, head(name)).is_some() && self.related(head(name)).is_some();
        let name = selection.expand.iter().find(|name| !is_relation(name))?;
        let near = naming::nearest(head(name), self.expandable_names());
        Some(FieldError::unknown(name, near.map(str::to_owned)))
    }
}

impl OutputField {
    /// Whether a name refers to this member, or to a field of its related objects.
    fn is_meant_by(&self, name: &str) -> bool {
        match strip_relation(name, &self.name) {
            Some("") => true,
            Some(_) => matches!(self.source, FieldSource::Related(..) | FieldSource::Values(..)),
            None => false,
        }
    }

    /// Applies the selection to the related objects.
    fn select(self, selection: &Selection<'_>) -> Result<Self, FieldError> {
        let FieldSource::Related(link, projection) = &self.source else {
            return match self.inner_name(selection) {
                Some(name) => Err(FieldError::unknown(name, Some(self.name.clone()))),
                None => Ok(self),
            };
        };
        let inner = |names: &[&'_ str]| -> Vec<String> {
            let names = names.iter().filter_map(|name| strip_relation(name, &self.name));
            names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        let (fields, expand) = (inner(&selection.fields), inner(&selection.expand));
        if fields.is_empty() && expand.is_empty() {
            return Ok(self);
        }
        let selection = Selection {
            fields: fields.iter().map(String::as_str).collect(),
            expand: expand.iter().map(String::as_str).collect(),
        };
        let projection = projection
            .select(&selection)
            .map_err(|error| error.within(&self.name))?;
        Ok(Self {
            source: FieldSource::Related(*link, Arc::new(projection)),
            name: self.name,
        })
    }
}

impl OutputField {
    /// Requested field of related objects, of which this member writes only values.
    fn inner_name<'n>(&self, selection: &Selection<'n>) -> Option<&'n str> {
        let FieldSource::Values(..) = self.source else {
            return None;
        };
        let mut names = selection.fields.iter().chain(&selection.expand);
        let is_inner = |name: &str| strip_relation(name, &self.name).is_some_and(|rest| !rest.is_empty());
        names.find(|name| is_inner(name)).copied()
    }
}

fn head(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Strips the relation from a name; empty if the name is the relation itself.
fn strip_relation<'n>(name: &'n str, relation: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(relation)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('.').filter(|rest| !rest.is_empty())
}
