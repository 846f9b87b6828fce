//! How objects look to clients: the members that are written, in their order, and the fields that may be named.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use crate::column::Table;
use crate::data_type::DataType;
use crate::json::write_text;
use crate::model::Member;
use crate::query::AnyWhere;
use crate::relation::Relation;
use crate::serializer::declaration::{
    ComputedField, Declaration, Envelope, PreDump, RelationColumns, SerializerType,
};
use crate::serializer::name_checks::{refuse_double_names, refuse_unknown_names};
use crate::serializer::visibility::{PrivateColumns, Visibility};

/// How objects of a model look to clients.
///
/// It is also the only one that knows which fields a client may name, in a filter or anywhere else: those that it writes.
pub struct Projection {
    pub(super) table: &'static Table,
    pub(super) envelope: Option<Envelope>,
    pub(super) outputs: Vec<WriteOp>,
    pub(super) members: Vec<OutputField>,
    pub(super) expandable: Arc<[Expandable]>,
    relations: Arc<[Relation]>,
    /// Of whom it is, if not all see the same.
    pub(super) sight: Option<Arc<dyn Visibility>>,
    /// The hooks that change an instance before it is written.
    pub(super) pre_dump: Arc<[PreDump]>,
    /// Shape for rows whose private columns the caller does not see.
    pub(super) restricted: Option<Box<Restriction>>,
}

/// A shape without the private columns, and the rows that it is not for.
pub(super) struct Restriction {
    pub(super) private: PrivateColumns,
    pub(super) shape: Projection,
}

/// What is written next of an object.
pub(super) enum WriteOp {
    /// Columns that stand side by side.
    Columns(Vec<Member>),
    /// A value that is made of the row, after what stands before it.
    Computed(Vec<u8>, ComputedField),
    /// What the row relates to.
    Related(Member, RelatedOutput),
}

/// Rows that a row relates to, as their own serializer writes them.
pub(super) struct RelatedOutput {
    pub(super) relation: usize,
    pub(super) is_many: bool,
    pub(super) shape: Arc<Projection>,
}

/// A member and its name.
#[derive(Clone)]
pub(super) struct OutputField {
    pub(super) name: String,
    pub(super) source: FieldSource,
}

/// Where a member's value comes from.
#[derive(Clone)]
pub(super) enum FieldSource {
    Column(usize),
    Computed(ComputedField),
    Related(RelationColumns, Arc<Projection>),
}

/// A relation that is written only if the client asks for it. Its shape is made when it is first needed: relations may go
/// in circles.
pub(super) struct Expandable {
    pub(super) name: &'static str,
    pub(super) link: RelationColumns,
    table: &'static Table,
    declaration: fn() -> Declaration,
    shape: OnceLock<Arc<Projection>>,
}

impl Projection {
    /// Relations lead at most so far.
    pub const MAX_HOPS: usize = 3;

    /// The shape that a serializer declares, itself nested in those of the path, the outermost first.
    pub(super) fn of(declaration: &Declaration, path: &[SerializerType]) -> Result<Self, String> {
        let path = &[path, &[declaration.serializer]].concat();
        reject_cycle(path)?;
        refuse_unknown_names(declaration)?;
        let table = declaration.table;
        let mut members = Vec::new();
        for (position, column) in table.columns.iter().enumerate() {
            if declaration.serves(column) && !declaration.write_only.contains(column.name) {
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
        for nested in &declaration.added.nested {
            let inner = (nested.declaration)();
            nested.link.check(nested.name, table, inner.table)?;
            members.push(OutputField {
                name: nested.name.to_owned(),
                source: FieldSource::Related(nested.link, Arc::new(Self::of(&inner, path)?)),
            });
        }
        let mut expandable = Vec::new();
        for relation in &declaration.added.expandable {
            let other = (relation.declaration)().table;
            relation.link.check(relation.name, table, other)?;
            expandable.push(Expandable {
                name: relation.name,
                link: relation.link,
                table: other,
                declaration: relation.declaration,
                shape: OnceLock::new(),
            });
        }
        let envelope = declaration.envelope.clone();
        let mut shape = Self::new(table, envelope, members, expandable.into(), None);
        shape.pre_dump = declaration.added.pre_dump.as_slice().into();
        refuse_double_names(table, shape.all_names())?;
        Ok(shape)
    }

    fn new(
        table: &'static Table,
        envelope: Option<Envelope>,
        members: Vec<OutputField>,
        expandable: Arc<[Expandable]>,
        sight: Option<Arc<dyn Visibility>>,
    ) -> Self {
        let mut shape = Self::unrestricted(table, envelope, members, expandable, sight);
        let private = shape.sight.as_ref().and_then(|sight| sight.private(table));
        shape.restricted = private.and_then(|private| shape.without(private)).map(Box::new);
        shape
    }

    pub(super) fn unrestricted(
        table: &'static Table,
        envelope: Option<Envelope>,
        members: Vec<OutputField>,
        expandable: Arc<[Expandable]>,
        sight: Option<Arc<dyn Visibility>>,
    ) -> Self {
        let mut shape = Self {
            table,
            envelope,
            outputs: Vec::new(),
            members,
            expandable,
            relations: Arc::new([]),
            sight,
            pre_dump: Arc::new([]),
            restricted: None,
        };
        let mut relations = Vec::new();
        for (position, member) in shape.members.iter().enumerate() {
            let before = key_prefix(position, &member.name);
            match &member.source {
                FieldSource::Column(column) => {
                    let member = Member {
                        before,
                        column: *column,
                    };
                    match shape.outputs.last_mut() {
                        Some(WriteOp::Columns(members)) => members.push(member),
                        _ => shape.outputs.push(WriteOp::Columns(vec![member])),
                    }
                }
                FieldSource::Computed(computed) => {
                    shape.outputs.push(WriteOp::Computed(before, computed.clone()));
                }
                FieldSource::Related(link, inner) => {
                    let related = RelatedOutput {
                        relation: relations.len(),
                        is_many: link.is_many,
                        shape: Arc::clone(inner),
                    };
                    relations.push(Relation {
                        column: link.from,
                        table: inner.table,
                        to: link.to,
                        visible: shape.visible(inner.table),
                        relations: inner.relations.to_vec(),
                    });
                    let column = link.from;
                    shape
                        .outputs
                        .push(WriteOp::Related(Member { before, column }, related));
                }
            }
        }
        shape.relations = relations.into();
        shape
    }

    /// The same with other members.
    pub(super) fn with_members(&self, members: Vec<OutputField>) -> Self {
        self.rebuild(members, self.sight.clone())
    }

    /// Shape of the same serializer with other members, for another caller.
    fn rebuild(&self, members: Vec<OutputField>, sight: Option<Arc<dyn Visibility>>) -> Self {
        let (envelope, expandable) = (self.envelope.clone(), Arc::clone(&self.expandable));
        Self {
            pre_dump: Arc::clone(&self.pre_dump),
            ..Self::new(self.table, envelope, members, expandable, sight)
        }
    }

    /// What somebody sees of it, in the objects themselves and wherever relations lead.
    pub fn restricted_to(&self, sight: &Arc<dyn Visibility>) -> Self {
        let hidden = sight.hidden(self.table);
        let mut members = self.members.clone();
        members.retain_mut(|member| match &mut member.source {
            FieldSource::Column(column) => !hidden.contains(*column),
            FieldSource::Computed(computed) => !computed.reads_any(&hidden),
            FieldSource::Related(link, shape) => {
                *shape = Arc::new(shape.restricted_to(sight));
                relation_visible(&**sight, self.table, link, shape.table)
            }
        });
        self.rebuild(members, Some(Arc::clone(sight)))
    }

    /// What holds of the rows of a table that can be seen, if not all can.
    pub(super) fn visible(&self, table: &'static Table) -> Option<AnyWhere> {
        self.sight.as_ref().and_then(|sight| sight.rows(table))
    }

    /// The relations that can be expanded.
    pub(super) fn expandable(&self) -> impl Iterator<Item = &Expandable> {
        let is_there = |relation: &&Expandable| match &self.sight {
            Some(sight) => relation_visible(&**sight, self.table, &relation.link, relation.table),
            None => true,
        };
        self.expandable.iter().filter(is_there)
    }

    /// How objects behind an expandable relation look.
    pub(super) fn behind(&self, relation: &Expandable) -> Arc<Projection> {
        match &self.sight {
            Some(sight) => Arc::new(relation.projection().restricted_to(sight)),
            None => Arc::clone(relation.projection()),
        }
    }

    /// The table of the model.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// The envelope of its objects, if they have one.
    pub fn envelope(&self) -> Option<&Envelope> {
        self.envelope.as_ref()
    }

    /// The kind of the column that a member shows, unless the member is computed or related.
    pub fn kind(&self, name: &str) -> Option<DataType> {
        let column = self.column(name)?;
        Some(self.table.columns[column].kind)
    }

    /// The rows of other tables that writing needs.
    pub fn relations(&self) -> &Arc<[Relation]> {
        &self.relations
    }

    /// Whether nothing but a row's own columns is written, as they are.
    pub fn writes_columns_only(&self) -> bool {
        let are_columns = |output: &WriteOp| matches!(output, WriteOp::Columns(_));
        self.pre_dump.is_empty() && self.outputs.iter().all(are_columns)
    }

    /// The names of the members, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// The names of all that may be written: members, and relations that can be expanded.
    pub(super) fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names().chain(self.expandable_names())
    }

    /// The names of members that are no columns.
    pub(super) fn names_beside_columns(&self) -> impl Iterator<Item = &str> {
        let is_column = |member: &&OutputField| matches!(member.source, FieldSource::Column(_));
        let members = self.members.iter().filter(move |member| !is_column(member));
        members.map(|member| member.name.as_str())
    }

    /// The names of relations that can be expanded.
    pub(super) fn expandable_names(&self) -> impl Iterator<Item = &str> {
        self.expandable().map(|relation| relation.name)
    }

    /// The column that a client may name so in a query.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let mut members = self.nameable().members.iter();
        let named = members.find(|member| member.name == name)?;
        match named.source {
            FieldSource::Column(column) => Some(column),
            FieldSource::Computed(_) | FieldSource::Related(..) => None,
        }
    }

    pub(super) fn related(&self, name: &str) -> Option<(RelationColumns, Arc<Projection>)> {
        let nested = self.members.iter().find(|member| member.name == name);
        if let Some(OutputField {
            source: FieldSource::Related(link, shape),
            ..
        }) = nested
        {
            return Some((*link, Arc::clone(shape)));
        }
        let relation = self.expandable().find(|relation| relation.name == name)?;
        Some((relation.link, self.behind(relation)))
    }

    /// Makes every shape that can be reached by relations, to see whether they can be made.
    pub(super) fn check_expandable(&self, seen: &mut HashSet<SerializerType>) -> Result<(), String> {
        for relation in &*self.expandable {
            let declaration = (relation.declaration)();
            if seen.insert(declaration.serializer) {
                let shape = Self::of(&declaration, &[])?;
                shape.check_expandable(seen)?;
                let _ = relation.shape.set(Arc::new(shape));
            }
        }
        Ok(())
    }
}

impl Expandable {
    /// The serializer of the objects behind it.
    pub(super) fn serializer(&self) -> SerializerType {
        (self.declaration)().serializer
    }

    pub(super) fn projection(&self) -> &Arc<Projection> {
        self.shape.get_or_init(|| {
            let shape = Projection::of(&(self.declaration)(), &[]);
            Arc::new(shape.expect("`check_expandable` has made this shape before, when the plan was made"))
        })
    }
}

/// Whether a relation is there for somebody: a foreign key that cannot be seen leads nowhere, from neither side.
fn relation_visible(
    sight: &dyn Visibility,
    table: &'static Table,
    link: &RelationColumns,
    other: &'static Table,
) -> bool {
    let is_hidden = |table: &'static Table, column: usize| {
        column != table.primary_key && sight.hidden(table).contains(column)
    };
    !is_hidden(table, link.from) && !is_hidden(other, link.to)
}

/// What stands before the value of a member.
fn key_prefix(position: usize, name: &str) -> Vec<u8> {
    let mut before = Vec::with_capacity(name.len() + 4);
    if position > 0 {
        before.push(b',');
    }
    write_text(&mut before, name);
    before.push(b':');
    before
}

/// A serializer that contains itself would write without end.
fn reject_cycle(path: &[SerializerType]) -> Result<(), String> {
    let Some((last, outer)) = path.split_last() else {
        return Ok(());
    };
    let Some(start) = outer.iter().position(|serializer| serializer == last) else {
        return Ok(());
    };
    let names: Vec<&str> = path[start..].iter().map(|serializer| serializer.name()).collect();
    Err(format!(
        "nested serializers go in a circle: {}; nest one without that field",
        names.join(" > ")
    ))
}
