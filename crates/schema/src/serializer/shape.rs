//! How objects look to clients: the members that are written, in their order, and the fields that may be named.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use crate::column::Table;
use crate::json::write_text;
use crate::kind::Kind;
use crate::model::Member;
use crate::naming;
use crate::query::{Hop, JsonKey, Path};
use crate::relation::Relation;
use crate::serializer::declaration::{Compute, Declaration, Envelope, Link, SerializerType};
use crate::serializer::unreadable::Unreadable;

/// How objects of a model look to clients.
///
/// It is also the only one that knows which fields a client may name, in a filter or anywhere else: those that it writes.
pub struct Shape {
    pub(super) table: &'static Table,
    pub(super) envelope: Option<Envelope>,
    pub(super) outputs: Vec<Output>,
    members: Vec<Named>,
    expandable: Arc<[Expandable]>,
    relations: Arc<[Relation]>,
}

/// What is written next of an object.
pub(super) enum Output {
    /// Columns that stand side by side.
    Columns(Vec<Member>),
    /// A value that is made of the row, after what stands before it.
    Computed(Vec<u8>, Compute),
    /// What the row relates to.
    Related(Member, RelatedOutput),
}

/// Rows that a row relates to, as their own serializer writes them.
pub(super) struct RelatedOutput {
    pub(super) relation: usize,
    pub(super) is_many: bool,
    pub(super) shape: Arc<Shape>,
}

/// A member and its name.
#[derive(Clone)]
struct Named {
    name: String,
    source: Source,
}

/// Where a member's value comes from.
#[derive(Clone)]
enum Source {
    Column(usize),
    Computed(Compute),
    Related(Link, Arc<Shape>),
}

/// A relation that is written only if the client asks for it. Its shape is made when it is first needed: relations may go
/// in circles.
struct Expandable {
    name: &'static str,
    link: Link,
    declaration: fn() -> Declaration,
    shape: OnceLock<Arc<Shape>>,
}

/// What a client wants to see, each name with dots between a relation and what lies behind it.
#[derive(Debug, Default, Clone)]
pub struct Selection<'n> {
    /// The only members; all of them if there is none.
    pub fields: Vec<&'n str>,
    /// The relations beside them.
    pub expand: Vec<&'n str>,
}

impl Shape {
    /// Relations lead at most so far.
    pub const MOST_HOPS: usize = 3;

    /// The shape that a serializer declares, itself nested in those of the path, the outermost first.
    pub(super) fn of(declaration: &Declaration, path: &[SerializerType]) -> Result<Self, String> {
        let path = &[path, &[declaration.serializer]].concat();
        refuse_circle(path)?;
        let table = declaration.table;
        let mut members = Vec::new();
        for (position, column) in table.columns.iter().enumerate() {
            if declaration.serves(column) && !declaration.write_only.contains(column.name) {
                members.push(Named {
                    name: column.wire_name(),
                    source: Source::Column(position),
                });
            }
        }
        for (name, compute) in &declaration.added.computed {
            members.push(Named {
                name: (*name).to_owned(),
                source: Source::Computed(Arc::clone(compute)),
            });
        }
        for nested in &declaration.added.nested {
            let inner = (nested.declaration)();
            nested.link.check(nested.name, table, inner.table)?;
            members.push(Named {
                name: nested.name.to_owned(),
                source: Source::Related(nested.link, Arc::new(Self::of(&inner, path)?)),
            });
        }
        let mut expandable = Vec::new();
        for relation in &declaration.added.expandable {
            let other = (relation.declaration)().table;
            relation.link.check(relation.name, table, other)?;
            expandable.push(Expandable {
                name: relation.name,
                link: relation.link,
                declaration: relation.declaration,
                shape: OnceLock::new(),
            });
        }
        Ok(Self::new(
            table,
            declaration.envelope.clone(),
            members,
            expandable.into(),
        ))
    }

    fn new(
        table: &'static Table,
        envelope: Option<Envelope>,
        members: Vec<Named>,
        expandable: Arc<[Expandable]>,
    ) -> Self {
        let mut shape = Self {
            table,
            envelope,
            outputs: Vec::new(),
            members,
            expandable,
            relations: Arc::new([]),
        };
        let mut relations = Vec::new();
        for (position, member) in shape.members.iter().enumerate() {
            let before = before(position, &member.name);
            match &member.source {
                Source::Column(column) => {
                    let member = Member {
                        before,
                        column: *column,
                    };
                    match shape.outputs.last_mut() {
                        Some(Output::Columns(members)) => members.push(member),
                        _ => shape.outputs.push(Output::Columns(vec![member])),
                    }
                }
                Source::Computed(compute) => {
                    shape.outputs.push(Output::Computed(before, Arc::clone(compute)));
                }
                Source::Related(link, inner) => {
                    let related = RelatedOutput {
                        relation: relations.len(),
                        is_many: link.is_many,
                        shape: Arc::clone(inner),
                    };
                    relations.push(Relation {
                        column: link.from,
                        table: inner.table,
                        to: link.to,
                        relations: inner.relations.to_vec(),
                    });
                    let column = link.from;
                    shape
                        .outputs
                        .push(Output::Related(Member { before, column }, related));
                }
            }
        }
        shape.relations = relations.into();
        shape
    }

    /// The table of the model.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// The rows of other tables that writing needs.
    pub fn relations(&self) -> &Arc<[Relation]> {
        &self.relations
    }

    /// Whether nothing but a row's own columns is written.
    pub fn writes_columns_only(&self) -> bool {
        let are_columns = |output: &Output| matches!(output, Output::Columns(_));
        self.outputs.iter().all(are_columns)
    }

    /// The names of the members, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// The names of all that may be written: members, and relations that can be expanded.
    fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names().chain(self.expandable_names())
    }

    /// The names of members that are no columns.
    pub(super) fn names_beside_columns(&self) -> impl Iterator<Item = &str> {
        let is_column = |member: &&Named| matches!(member.source, Source::Column(_));
        let members = self.members.iter().filter(move |member| !is_column(member));
        members.map(|member| member.name.as_str())
    }

    /// The names of relations that can be expanded.
    pub(super) fn expandable_names(&self) -> impl Iterator<Item = &str> {
        self.expandable.iter().map(|relation| relation.name)
    }

    /// The way to a field that a client names, such as `title`, `category.name` or `options.color`.
    pub fn path(&self, name: &str) -> Result<Path, Unreadable> {
        let mut hops = Vec::new();
        let (mut shape, mut rest) = (self, name);
        loop {
            let (first, behind) = match rest.split_once('.') {
                Some((first, behind)) => (first, Some(behind)),
                None => (rest, None),
            };
            if let Some(column) = shape.column(first) {
                let is_json = shape.table.columns[column].kind == Kind::Json;
                let keys = match behind {
                    None => Some(Vec::new()),
                    Some(behind) if is_json => behind.split('.').map(json_key).collect(),
                    Some(_) => None,
                };
                let keys = keys.ok_or_else(|| Unreadable::unknown(name, None))?;
                return Ok(Path::new(hops, shape.table, column, keys));
            }
            match (shape.related(first), behind) {
                (Some((link, inner)), Some(behind)) if hops.len() < Self::MOST_HOPS => {
                    hops.push(Hop {
                        from: link.from,
                        table: inner.table,
                        to: link.to,
                    });
                    (shape, rest) = (inner, behind);
                }
                (Some(_), Some(_)) => return Err(Unreadable::TooFar(name.to_owned())),
                (Some(_), None) => return Err(Unreadable::NoValue(name.to_owned())),
                (None, _) if shape.names().any(|known| known == first) => {
                    return Err(Unreadable::NoValue(name.to_owned()));
                }
                (None, _) => {
                    let way = &name[..name.len() - rest.len()];
                    let near = naming::nearest(first, shape.all_names());
                    return Err(Unreadable::unknown(name, near.map(|near| format!("{way}{near}"))));
                }
            }
        }
    }

    /// The shape with the wanted members alone, and with the relations that are to be expanded.
    pub fn select(&self, selection: &Selection<'_>) -> Result<Self, Unreadable> {
        let (mut members, mut wanted) = (Vec::new(), selection.fields.clone());
        for named in self.members.iter().cloned().chain(self.expanded(selection)) {
            let behind = |name: &&'_ str| behind(name, &named.name).is_some();
            let is_expanded = selection.expand.iter().any(behind);
            if selection.fields.is_empty() || is_expanded || wanted.iter().any(behind) {
                wanted.retain(|name| !behind(name));
                members.push(named.select(selection)?);
            }
        }
        let unknown = wanted.into_iter().chain(self.not_expandable(selection)).next();
        match unknown {
            Some(name) => {
                let near = naming::nearest(head(name), self.all_names());
                Err(Unreadable::unknown(name, near.map(str::to_owned)))
            }
            None => Ok(Self::new(
                self.table,
                self.envelope.clone(),
                members,
                Arc::clone(&self.expandable),
            )),
        }
    }

    /// The relations to expand, as members.
    fn expanded(&self, selection: &Selection<'_>) -> impl Iterator<Item = Named> {
        let wanted = self.expandable.iter().filter(|relation| {
            let mut names = selection.expand.iter();
            names.any(|name| head(name) == relation.name)
        });
        wanted.map(|relation| Named {
            name: relation.name.to_owned(),
            source: Source::Related(relation.link, Arc::clone(relation.shape())),
        })
    }

    /// What is to be expanded and is no relation.
    fn not_expandable<'n>(&self, selection: &Selection<'n>) -> impl Iterator<Item = &'n str> {
        let names = selection.expand.iter().copied();
        names.filter(|name| self.related(head(name)).is_none())
    }

    fn column(&self, name: &str) -> Option<usize> {
        let named = self.members.iter().find(|member| member.name == name)?;
        match named.source {
            Source::Column(column) => Some(column),
            Source::Computed(_) | Source::Related(..) => None,
        }
    }

    fn related(&self, name: &str) -> Option<(Link, &Shape)> {
        let nested = self.members.iter().find(|member| member.name == name);
        if let Some(Named {
            source: Source::Related(link, shape),
            ..
        }) = nested
        {
            return Some((*link, shape));
        }
        let relation = self.expandable.iter().find(|relation| relation.name == name)?;
        Some((relation.link, relation.shape()))
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

impl Named {
    /// The same with what is wanted of the objects behind it.
    fn select(self, selection: &Selection<'_>) -> Result<Self, Unreadable> {
        let Source::Related(link, shape) = &self.source else {
            return Ok(self);
        };
        let inner = |names: &[&'_ str]| -> Vec<String> {
            let names = names.iter().filter_map(|name| behind(name, &self.name));
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
            source: Source::Related(*link, Arc::new(shape)),
            name: self.name,
        })
    }
}

impl Expandable {
    fn shape(&self) -> &Arc<Shape> {
        self.shape.get_or_init(|| {
            let shape = Shape::of(&(self.declaration)(), &[]);
            Arc::new(shape.expect("all serializers that relations lead to are checked at start"))
        })
    }
}

/// What stands before the value of a member.
fn before(position: usize, name: &str) -> Vec<u8> {
    let mut before = Vec::with_capacity(name.len() + 4);
    if position > 0 {
        before.push(b',');
    }
    write_text(&mut before, name);
    before.push(b':');
    before
}

fn head(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// What a name says of the relation's objects; empty if it is the relation itself.
fn behind<'n>(name: &'n str, relation: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(relation)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('.')
}

/// A step into a document: letters, digits, `_` and `-`; digits alone are the place in an array.
fn json_key(text: &str) -> Option<JsonKey> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(JsonKey::Item);
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (!text.is_empty() && text.bytes().all(is_plain)).then(|| JsonKey::Member(text.to_owned()))
}

/// A serializer that contains itself would write without end.
fn refuse_circle(path: &[SerializerType]) -> Result<(), String> {
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
