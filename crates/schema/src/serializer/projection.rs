//! Projections: the fields that are written, in order, and the fields that queries may use.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use crate::column::Table;
use crate::json::write_text;
use crate::model::Member;
use crate::relation::Relation;
use crate::serializer::declaration::{
    ComputedField, Declaration, DeclaredRelation, Envelope, PreDump, SerializerType,
};
use crate::serializer::name_checks::reject_duplicate_names;
use crate::serializer::relation_columns::RelationColumns;
use crate::serializer::visibility::{PrivateColumns, Visibility};

/// The fields of a model that are written.
///
/// It also decides which fields a client may use in filters and elsewhere: those that it writes.
pub struct Projection {
    pub(super) table: &'static Table,
    pub(super) envelope: Option<Envelope>,
    pub(super) outputs: Vec<WriteOp>,
    pub(super) members: Vec<OutputField>,
    pub(super) expandable: Arc<[Expandable]>,
    relations: Arc<[Relation]>,
    /// Visibility for the caller, if it is restricted.
    pub(super) visibility: Option<Arc<dyn Visibility>>,
    /// Hooks that change an instance before it is written.
    pub(super) pre_dump: Arc<[PreDump]>,
    /// Projection for rows whose private columns are hidden from the caller.
    pub(super) restricted: Option<Box<Restriction>>,
}

/// A projection without the private columns, and the rows on which they are visible.
pub(super) struct Restriction {
    pub(super) private: PrivateColumns,
    pub(super) projection: Projection,
}

/// Output step of an object.
pub(super) enum WriteOp {
    /// Consecutive columns.
    Columns(Vec<Member>),
    /// Key prefix and a value computed from the row.
    Computed(Vec<u8>, ComputedField),
    /// Related rows.
    Related(RelatedOutput),
}

/// Output of related rows.
pub(super) struct RelatedOutput {
    /// Key prefix, and the column whose value leads to the related rows.
    pub(super) member: Member,
    pub(super) relation: usize,
    pub(super) is_many: bool,
    pub(super) form: RelatedForm,
}

/// Form in which related rows are written.
pub(super) enum RelatedForm {
    /// Objects, by their own serializer.
    Objects(Arc<Projection>),
    /// Values of a column, except on rows where it is private.
    Values(usize, Option<PrivateColumns>),
}

/// A named member.
#[derive(Clone)]
pub(super) struct OutputField {
    pub(super) name: String,
    pub(super) source: FieldSource,
}

/// Source of a member's value.
#[derive(Clone)]
pub(super) enum FieldSource {
    Column(usize),
    Computed(ComputedField),
    /// Related objects.
    Related(RelationColumns, Arc<Projection>),
    /// Values of a column of related rows.
    Values(RelationColumns, &'static Table),
}

/// A relation whose objects are not written, unless the client expands it. Its projection is created lazily, because
/// relations may form cycles.
pub(super) struct Expandable {
    pub(super) name: &'static str,
    pub(super) link: RelationColumns,
    pub(super) table: &'static Table,
    /// Whether values of the related rows are always written.
    is_member: bool,
    declaration: fn() -> Declaration,
    projection: OnceLock<Arc<Projection>>,
}

impl Projection {
    /// Maximum number of relations in a field path.
    pub const MAX_HOPS: usize = 3;

    /// Creates the projection that a serializer declares. `path` lists the serializers it is nested in, the outermost
    /// first.
    pub(super) fn of(declaration: &Declaration, path: &[SerializerType]) -> Result<Self, String> {
        let path = &[path, &[declaration.serializer]].concat();
        SerializerType::reject_cycle(path)?;
        let table = declaration.table;
        declaration.check_relations()?;
        let mut members = Vec::new();
        for (position, column) in table.columns.iter().enumerate() {
            if declaration.serves(position) && !declaration.write_only.contains(position) {
                members.push(OutputField {
                    name: column.wire_name(),
                    source: FieldSource::Column(position),
                });
            }
        }
        for (name, computed) in &declaration.added.computed {
            members.push(OutputField {
                name: (*name).to_owned(),
                source: FieldSource::Computed(computed.clone()),
            });
        }
        let mut expandable = Vec::new();
        for nested in &declaration.added.nested {
            let source = match nested.link.member {
                Some(_) => {
                    expandable.push(Expandable::of(nested, true));
                    FieldSource::Values(nested.link, (nested.table)())
                }
                None => {
                    let inner = Self::of(&(nested.declaration)(), path)?;
                    FieldSource::Related(nested.link, Arc::new(inner))
                }
            };
            members.push(OutputField {
                name: nested.name.to_owned(),
                source,
            });
        }
        let relations = declaration.added.expandable.iter();
        expandable.extend(relations.map(|relation| Expandable::of(relation, false)));
        let envelope = declaration.envelope.clone();
        let mut projection = Self::new(table, envelope, members, expandable.into(), None);
        projection.pre_dump = declaration.added.pre_dump.as_slice().into();
        reject_duplicate_names(table, projection.all_names())?;
        Ok(projection)
    }

    fn new(
        table: &'static Table,
        envelope: Option<Envelope>,
        members: Vec<OutputField>,
        expandable: Arc<[Expandable]>,
        visibility: Option<Arc<dyn Visibility>>,
    ) -> Self {
        let mut projection = Self::unrestricted(table, envelope, members, expandable, visibility);
        let private = projection
            .visibility
            .as_ref()
            .and_then(|visibility| visibility.private(table));
        projection.restricted = private
            .and_then(|private| projection.without(private))
            .map(Box::new);
        projection
    }

    pub(super) fn unrestricted(
        table: &'static Table,
        envelope: Option<Envelope>,
        members: Vec<OutputField>,
        expandable: Arc<[Expandable]>,
        visibility: Option<Arc<dyn Visibility>>,
    ) -> Self {
        let mut projection = Self {
            table,
            envelope,
            outputs: Vec::new(),
            members,
            expandable,
            relations: Arc::new([]),
            visibility,
            pre_dump: Arc::new([]),
            restricted: None,
        };
        let mut relations = Vec::new();
        for (position, member) in projection.members.iter().enumerate() {
            let before = key_prefix(position, &member.name);
            match &member.source {
                FieldSource::Column(column) => {
                    let member = Member {
                        before,
                        column: *column,
                    };
                    match projection.outputs.last_mut() {
                        Some(WriteOp::Columns(members)) => members.push(member),
                        _ => projection.outputs.push(WriteOp::Columns(vec![member])),
                    }
                }
                FieldSource::Computed(computed) => {
                    projection
                        .outputs
                        .push(WriteOp::Computed(before, computed.clone()));
                }
                FieldSource::Related(link, inner) => {
                    let form = RelatedForm::Objects(Arc::clone(inner));
                    let output = RelatedOutput::new(before, *link, relations.len(), form);
                    projection.outputs.push(WriteOp::Related(output));
                    relations.push(Relation {
                        relations: inner.relations.to_vec(),
                        ..projection.relation(*link, inner.table)
                    });
                }
                FieldSource::Values(link, table) => {
                    let (relation, form) = projection.relation_to_values(*link, table);
                    let output = RelatedOutput::new(before, *link, relations.len(), form);
                    projection.outputs.push(WriteOp::Related(output));
                    relations.push(relation);
                }
            }
        }
        projection.relations = relations.into();
        projection
    }

    /// Creates a copy with other members.
    pub(super) fn with_members(&self, members: Vec<OutputField>) -> Self {
        self.rebuild(members, self.visibility.clone())
    }

    /// Creates a projection of the same serializer with other members, for another caller.
    fn rebuild(&self, members: Vec<OutputField>, visibility: Option<Arc<dyn Visibility>>) -> Self {
        let (envelope, expandable) = (self.envelope.clone(), Arc::clone(&self.expandable));
        Self {
            pre_dump: Arc::clone(&self.pre_dump),
            ..Self::new(self.table, envelope, members, expandable, visibility)
        }
    }

    /// Restricts the projection to the fields and relations visible to a caller, including nested objects.
    pub fn restricted_to(&self, visibility: &Arc<dyn Visibility>) -> Self {
        let hidden = visibility.hidden(self.table);
        let mut members = self.members.clone();
        members.retain_mut(|member| match &mut member.source {
            FieldSource::Column(column) => !hidden.contains(*column),
            FieldSource::Computed(computed) => !computed.reads_any(hidden),
            FieldSource::Related(link, projection) => {
                *projection = Arc::new(projection.restricted_to(visibility));
                relation_visible(&**visibility, self.table, link, projection.table)
            }
            FieldSource::Values(link, table) => relation_visible(&**visibility, self.table, link, table),
        });
        self.rebuild(members, Some(Arc::clone(visibility)))
    }

    /// Relations that can be expanded.
    pub(super) fn expandable(&self) -> impl Iterator<Item = &Expandable> {
        self.visible_relations().filter(|relation| !relation.is_member)
    }

    /// Relations that are not written as objects, unless they are expanded.
    pub(super) fn visible_relations(&self) -> impl Iterator<Item = &Expandable> {
        let is_visible = |relation: &&Expandable| match &self.visibility {
            Some(visibility) => relation_visible(&**visibility, self.table, &relation.link, relation.table),
            None => true,
        };
        self.expandable.iter().filter(is_visible)
    }

    /// Returns the projection of an expandable relation's objects.
    pub(super) fn related_projection(&self, relation: &Expandable) -> Arc<Projection> {
        match &self.visibility {
            Some(visibility) => Arc::new(relation.projection().restricted_to(visibility)),
            None => Arc::clone(relation.projection()),
        }
    }

    /// Table of the model.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// Whether objects have a member with the value of this column, on all rows.
    pub fn shows(&self, column: usize) -> bool {
        let is_column =
            |member: &OutputField| matches!(member.source, FieldSource::Column(own) if own == column);
        let is_private = |restriction: &Restriction| restriction.private.columns.contains(column);
        self.members.iter().any(is_column) && !self.restricted.as_deref().is_some_and(is_private)
    }

    /// Envelope of the objects, if any.
    pub fn envelope(&self) -> Option<&Envelope> {
        self.envelope.as_ref()
    }

    /// Relations whose rows the output needs.
    pub fn relations(&self) -> &Arc<[Relation]> {
        &self.relations
    }

    /// Whether the output consists of unchanged columns only.
    pub fn writes_columns_only(&self) -> bool {
        let are_columns = |output: &WriteOp| matches!(output, WriteOp::Columns(_));
        self.pre_dump.is_empty() && self.outputs.iter().all(are_columns)
    }

    /// Creates all projections reachable by relations, to report errors at startup.
    pub(super) fn check_expandable(&self, seen: &mut HashSet<SerializerType>) -> Result<(), String> {
        for relation in &*self.expandable {
            let declaration = (relation.declaration)();
            if seen.insert(declaration.serializer) {
                let projection = Self::of(&declaration, &[])?;
                projection.check_expandable(seen)?;
                let _ = relation.projection.set(Arc::new(projection));
            }
        }
        Ok(())
    }
}

impl Expandable {
    fn of(relation: &DeclaredRelation, is_member: bool) -> Self {
        Self {
            name: relation.name,
            link: relation.link,
            table: (relation.table)(),
            is_member,
            declaration: relation.declaration,
            projection: OnceLock::new(),
        }
    }

    /// Serializer of the related objects.
    pub(super) fn serializer(&self) -> SerializerType {
        (self.declaration)().serializer
    }

    pub(super) fn projection(&self) -> &Arc<Projection> {
        self.projection.get_or_init(|| {
            let projection = Projection::of(&(self.declaration)(), &[]);
            Arc::new(
                projection
                    .expect("`check_expandable` created this projection when the serializer was compiled"),
            )
        })
    }
}

/// Whether a relation is visible: a hidden foreign key can be followed from neither side, and a hidden column is not
/// written.
fn relation_visible(
    visibility: &dyn Visibility,
    table: &'static Table,
    link: &RelationColumns,
    other: &'static Table,
) -> bool {
    let is_hidden = |table: &'static Table, column: usize| {
        column != table.primary_key && visibility.hidden(table).contains(column)
    };
    let is_hidden_join = link
        .join()
        .is_some_and(|join| is_hidden(join.table, join.from) || is_hidden(join.table, join.to));
    let hidden = |member| visibility.hidden(other).contains(member);
    let is_hidden_member = link.member.is_some_and(hidden);
    !is_hidden(table, link.from) && !is_hidden(other, link.to) && !is_hidden_join && !is_hidden_member
}

/// Formats the text before a member's value.
fn key_prefix(position: usize, name: &str) -> Vec<u8> {
    let mut before = Vec::with_capacity(name.len() + 4);
    if position > 0 {
        before.push(b',');
    }
    write_text(&mut before, name);
    before.push(b':');
    before
}
