//! The shape that a client wants: some of the members, and relations beside them.

use std::sync::Arc;

use crate::naming;
use crate::serializer::field_error::FieldError;
use crate::serializer::projection::{FieldSource, OutputField, Projection};

/// What a client wants to see, each name with dots between a relation and what lies behind it.
#[derive(Debug, Default, Clone)]
pub struct Selection<'n> {
    /// The only members; all of them if there is none.
    pub fields: Vec<&'n str>,
    /// The relations beside them.
    pub expand: Vec<&'n str>,
}

impl Projection {
    /// The shape with the wanted members alone, and with the relations that are to be expanded.
    pub fn select(&self, selection: &Selection<'_>) -> Result<Self, FieldError> {
        let (mut members, mut wanted) = (Vec::new(), selection.fields.clone());
        for named in self.members.iter().cloned().chain(self.expanded(selection)) {
            let is_meant = |name: &&'_ str| named.is_meant_by(name);
            let is_expanded = selection.expand.iter().any(is_meant);
            if selection.fields.is_empty() || is_expanded || wanted.iter().any(is_meant) {
                wanted.retain(|name| !is_meant(name));
                members.push(named.select(selection)?);
            }
        }
        let unwritten = wanted.first().map(|name| self.unwritten(name));
        match unwritten.or_else(|| self.not_expandable(selection)) {
            Some(unreadable) => Err(unreadable),
            None => Ok(self.with_members(members)),
        }
    }

    /// The shape without its computed fields, for rows that are no whole instances of the model.
    pub fn without_computed(&self) -> Self {
        let members = self.members.iter();
        let members = members.filter(|member| !matches!(member.source, FieldSource::Computed(_)));
        self.with_members(members.cloned().collect())
    }

    /// The relations to expand, as members.
    fn expanded(&self, selection: &Selection<'_>) -> impl Iterator<Item = OutputField> {
        let wanted = self.expandable().filter(|relation| {
            let mut names = selection.expand.iter();
            names.any(|name| relation_projection(name, relation.name).is_some())
        });
        wanted.map(|relation| OutputField {
            name: relation.name.to_owned(),
            source: FieldSource::Related(relation.link, self.behind(relation)),
        })
    }

    /// Why a name is not among the members.
    fn unwritten(&self, name: &str) -> FieldError {
        let mut relations = self.expandable_names();
        match relations.find(|relation| relation_projection(name, relation).is_some()) {
            Some(relation) => FieldError::NotExpanded(relation.to_owned()),
            None => {
                let near = naming::nearest(head(name), self.names());
                FieldError::unknown(name, near.map(str::to_owned))
            }
        }
    }

    /// What is to be expanded and is no relation.
    fn not_expandable(&self, selection: &Selection<'_>) -> Option<FieldError> {
        let is_relation = |name: &str| {
            relation_projection(name, head(name)).is_some() && self.related(head(name)).is_some()
        };
        let name = selection.expand.iter().find(|name| !is_relation(name))?;
        let near = naming::nearest(head(name), self.expandable_names());
        Some(FieldError::unknown(name, near.map(str::to_owned)))
    }
}

impl OutputField {
    /// Whether a name leads here, or further on if there is something behind it.
    fn is_meant_by(&self, name: &str) -> bool {
        match relation_projection(name, &self.name) {
            Some("") => true,
            Some(_) => matches!(self.source, FieldSource::Related(..)),
            None => false,
        }
    }

    /// The same with what is wanted of the objects behind it.
    fn select(self, selection: &Selection<'_>) -> Result<Self, FieldError> {
        let FieldSource::Related(link, shape) = &self.source else {
            return Ok(self);
        };
        let inner = |names: &[&'_ str]| -> Vec<String> {
            let names = names
                .iter()
                .filter_map(|name| relation_projection(name, &self.name));
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
        let shape = shape
            .select(&selection)
            .map_err(|unreadable| unreadable.behind(&self.name))?;
        Ok(Self {
            source: FieldSource::Related(*link, Arc::new(shape)),
            name: self.name,
        })
    }
}

fn head(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// What a name says of the relation's objects; empty if it is the relation itself.
fn relation_projection<'n>(name: &'n str, relation: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(relation)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('.').filter(|rest| !rest.is_empty())
}
