//! Lookup of a projection's fields by name.

use std::sync::Arc;

use crate::column::Table;
use crate::data_type::DataType;
use crate::naming;
use crate::query::{FieldPath, JsonKey, RelationStep};
use crate::serializer::field_error::FieldError;
use crate::serializer::projection::{FieldSource, OutputField, Projection};
use crate::serializer::relation_columns::RelationColumns;

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
            FieldSource::Computed(_) | FieldSource::Related(..) | FieldSource::Values(..) => None,
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
        let relation = self.visible_relations().find(|relation| relation.name == name)?;
        Some((relation.link, self.related_projection(relation)))
    }
}

impl Projection {
    /// Resolves a field name such as `title`, `category.name` or `options.color`.
    pub fn path(&self, name: &str) -> Result<FieldPath, FieldError> {
        let (mut steps, mut relations) = (Vec::new(), 0);
        let mut last_projection: Arc<Projection>;
        let (mut projection, mut rest) = (self, name);
        loop {
            let (first, after) = match rest.split_once('.') {
                Some((first, after)) => (first, Some(after)),
                None => (rest, None),
            };
            if let Some(column) = projection.column(first) {
                let is_json = projection.table.columns[column].data_type == DataType::Json;
                let keys = match after {
                    None => Some(Vec::new()),
                    Some(after) if is_json => json_keys(after),
                    Some(_) => None,
                };
                let keys = keys.ok_or_else(|| FieldError::unknown(name, None))?;
                return Ok(FieldPath::new(steps, projection.table, column, keys));
            }
            match (projection.related(first), after) {
                (Some((link, inner)), Some(after)) if relations < Self::MAX_HOPS => {
                    relations += 1;
                    steps.extend(self.steps(link, inner.table));
                    last_projection = inner;
                    (projection, rest) = (&last_projection, after);
                }
                (Some(_), Some(_)) => return Err(FieldError::TooFar(name.to_owned())),
                (Some((_, inner)), None) => {
                    return Err(FieldError::Relation {
                        name: name.to_owned(),
                        field: inner.example().map(|field| format!("{name}.{field}")),
                        has_keys: steps.is_empty() && projection.related_key(first).is_ok(),
                    });
                }
                (None, _) if projection.shows_name(first) => {
                    return Err(FieldError::Private(name.to_owned()));
                }
                (None, _) if projection.names().any(|known| known == first) => {
                    return Err(FieldError::NoValue(name.to_owned()));
                }
                (None, _) => {
                    let way = &name[..name.len() - rest.len()];
                    let near = naming::nearest(first, projection.all_names());
                    return Err(FieldError::unknown(name, near.map(|near| format!("{way}{near}"))));
                }
            }
        }
    }
}

impl Projection {
    /// Name of a column for an example: the first one that is not the key, if there is one.
    fn example(&self) -> Option<&str> {
        let columns = || self.names().filter_map(|name| Some((name, self.column(name)?)));
        let other = columns().find(|(_, column)| *column != self.table.primary_key);
        other.or_else(|| columns().next()).map(|(name, _)| name)
    }

    /// Whether a column is written under this name, also if a query may not use it.
    fn shows_name(&self, name: &str) -> bool {
        let is_column = |member: &OutputField| matches!(member.source, FieldSource::Column(_));
        self.members
            .iter()
            .any(|member| member.name == name && is_column(member))
    }

    /// Path to the keys of the rows that a relation of this name leads to. The keys must be written: those of the
    /// related objects, or instead of them.
    pub fn related_key(&self, name: &str) -> Result<FieldPath, FieldError> {
        let (link, inner) = self.named_relation(name)?;
        let key = inner.table.primary_key;
        if link.member != Some(key) && !inner.shows(key) {
            return Err(FieldError::NoValue(name.to_owned()));
        }
        let steps = self.steps(link, inner.table).collect();
        Ok(FieldPath::new(steps, inner.table, key, Vec::new()))
    }

    /// Path to the number of rows that a relation to many of this name leads to.
    pub fn related_count(&self, name: &str) -> Result<FieldPath, FieldError> {
        let (link, inner) = self.named_relation(name)?;
        if !link.is_many() {
            return Err(FieldError::NoValue(name.to_owned()));
        }
        Ok(FieldPath::count(
            self.steps(link, inner.table).collect(),
            inner.table,
        ))
    }

    fn named_relation(&self, name: &str) -> Result<(RelationColumns, Arc<Projection>), FieldError> {
        self.related(name).ok_or_else(|| {
            if self.names().any(|known| known == name) {
                FieldError::NotRelated(name.to_owned())
            } else {
                FieldError::unknown(name, naming::nearest(name, self.all_names()).map(str::to_owned))
            }
        })
    }

    /// Names of the relations, whether they are always written or only on request.
    pub fn relation_names(&self) -> impl Iterator<Item = &str> {
        let is_related = |member: &&OutputField| {
            matches!(member.source, FieldSource::Related(..) | FieldSource::Values(..))
        };
        let members = self.members.iter().filter(is_related);
        members
            .map(|member| member.name.as_str())
            .chain(self.expandable_names())
    }

    /// Steps of a relation to another table: one, or two by way of a join table.
    fn steps(&self, link: RelationColumns, table: &'static Table) -> impl Iterator<Item = RelationStep> {
        let visible = |table| self.visible(table).map(Arc::new);
        let join = link.join();
        let to_join = join.map(|join| RelationStep {
            from: link.from,
            table: join.table,
            to: join.from,
            visible: visible(join.table),
        });
        let last = RelationStep {
            from: join.map_or(link.from, |join| join.to),
            table,
            to: link.to,
            visible: visible(table),
        };
        to_join.into_iter().chain([last])
    }
}

fn json_keys(text: &str) -> Option<Vec<JsonKey>> {
    text.split('.').map(json_key).collect()
}

/// Parses a step into a JSON document: letters, digits, `_` and `-`; digits alone are an array index.
fn json_key(text: &str) -> Option<JsonKey> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(JsonKey::Item);
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (!text.is_empty() && text.bytes().all(is_plain)).then(|| JsonKey::Member(text.to_owned()))
}
