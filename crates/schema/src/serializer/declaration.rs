//! What a serializer declares, without its types: the material of a plan.

use std::any::{Any, TypeId};
use std::sync::Arc;

use serde_json::Map;

use crate::column::{Column, Table};
use crate::draft::AnyDraft;
use crate::errors::Errors;
use crate::message::Message;
use crate::model::Row;
use crate::query::AnyColumns;
use crate::serializer::fields::Fields;
use crate::value::{Value, ValueRef};

/// What loaded data goes onto.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// A new object: create.
    Create,
    /// A saved object, every required field of it: put.
    Replace,
    /// A saved object, any fields of it: patch.
    Update,
}

/// The single key that an object, or a list of objects, stands under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The key of one object.
    pub one: String,
    /// The key of a list.
    pub many: String,
}

/// A row that cannot be written, with its cause: a fault of the program or of the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerializeError(String);

impl SerializeError {
    pub(super) fn new(field: &str, cause: &dyn std::fmt::Display) -> Self {
        Self(format!("cannot compute the field `{field}`: {cause}"))
    }

    pub(super) fn before_dump(cause: &dyn std::fmt::Display) -> Self {
        Self(format!("cannot build the instance for a pre_dump hook: {cause}"))
    }
}

impl std::fmt::Display for SerializeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SerializeError {}

/// Writes a computed field as JSON.
pub(super) type Compute = Arc<dyn Fn(&dyn Row, &mut Vec<u8>) -> Result<(), SerializeError> + Send + Sync>;
/// Checks one value that has the right type.
pub(super) type Validate = Arc<dyn Fn(ValueRef<'_>, WriteMode) -> Result<(), Message> + Send + Sync>;
/// Turns an extra input into a column's value.
pub(super) type Convert = Arc<dyn Fn(ValueRef<'_>) -> Result<Value, Message> + Send + Sync>;
/// Changes the JSON object of a body before its fields are read.
pub(super) type PreLoad =
    Arc<dyn Fn(&mut Map<String, serde_json::Value>, WriteMode, &mut Errors) + Send + Sync>;
/// Changes the draft after its fields were read.
pub(super) type PostLoad = Arc<dyn Fn(&mut AnyDraft, WriteMode, &mut Errors) + Send + Sync>;
/// Builds the instance that is written instead of a row.
pub(super) type PreDump = Arc<dyn Fn(&dyn Row) -> Result<Box<dyn Row>, SerializeError> + Send + Sync>;
/// Checks all objects of a request together; only the crate that serves requests knows its type.
pub(super) type BatchCheck = Arc<dyn Any + Send + Sync>;
/// Checks the object as a whole.
pub(super) type ValidateWhole = fn(&mut AnyDraft, WriteMode, &mut Errors);

/// Everything that a serializer says of itself.
pub(super) struct Declaration {
    pub(super) serializer: SerializerType,
    pub(super) table: &'static Table,
    pub(super) fields: Fields,
    pub(super) exclude: Fields,
    pub(super) read_only: Fields,
    pub(super) write_only: Fields,
    pub(super) required: Fields,
    pub(super) optional: Fields,
    pub(super) envelope: Option<Envelope>,
    pub(super) validate: ValidateWhole,
    pub(super) added: Added,
}

/// A serializer's type, and its name for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SerializerType {
    id: TypeId,
    name: &'static str,
}

impl SerializerType {
    pub(super) fn of<S: 'static>() -> Self {
        Self {
            id: TypeId::of::<S>(),
            name: std::any::type_name::<S>(),
        }
    }

    pub(super) fn name(self) -> &'static str {
        self.name
    }
}

/// What a serializer adds to the columns of its model.
#[derive(Default)]
pub(super) struct Added {
    pub(super) inputs: Vec<ExtraInput>,
    pub(super) computed: Vec<(&'static str, ComputedField)>,
    pub(super) nested: Vec<DeclaredRelation>,
    pub(super) expandable: Vec<DeclaredRelation>,
    pub(super) validators: Vec<(usize, Validate)>,
    pub(super) pre_load: Vec<PreLoad>,
    pub(super) post_load: Vec<PostLoad>,
    pub(super) pre_dump: Vec<PreDump>,
    pub(super) batch_checks: Vec<BatchCheck>,
}

/// A field that is computed from a row.
#[derive(Clone)]
pub(super) struct ComputedField {
    pub(super) compute: Compute,
    /// The columns that it is made from, if they are declared.
    pub(super) reads: Option<AnyColumns>,
}

impl ComputedField {
    /// Whether it is declared to be made from one of these columns.
    pub(super) fn reads_any(&self, columns: &AnyColumns) -> bool {
        let reads = self.reads.as_ref();
        reads.is_some_and(|reads| reads.intersects(columns))
    }
}

/// A field that clients send and that is no column.
pub(super) struct ExtraInput {
    /// The input's name, type and length, in the terms of a column.
    pub(super) column: Column,
    pub(super) required_on_create: bool,
    pub(super) reader: Option<InputReader>,
}

/// The reader of an extra input.
pub(super) enum InputReader {
    /// A column, which stores it converted.
    Column(usize, Convert),
    /// Code that reads it from the draft.
    Handler,
}

/// What a row relates to, as another serializer writes it.
///
/// The other one is asked only when its turn comes, so that a circle can be seen instead of gone around.
pub(super) struct DeclaredRelation {
    pub(super) name: &'static str,
    pub(super) link: RelationColumns,
    pub(super) declaration: fn() -> Declaration,
}

/// The columns that two tables are related by.
#[derive(Debug, Clone, Copy)]
pub(super) struct RelationColumns {
    /// The column here.
    pub(super) from: usize,
    /// The column there.
    pub(super) to: usize,
    /// Whether a row here may relate to several there.
    pub(super) is_many: bool,
}

impl RelationColumns {
    /// One of the columns must be a foreign key to the other table.
    pub(super) fn check(self, name: &str, here: &'static Table, there: &'static Table) -> Result<(), String> {
        let (holder, column, named) = if self.is_many {
            (there, self.to, here)
        } else {
            (here, self.from, there)
        };
        let foreign_key = &holder.columns[column];
        let leads_to = foreign_key.references.map(|references| (references.table)());
        if leads_to.is_some_and(|table| std::ptr::eq(table, named)) {
            return Ok(());
        }
        Err(format!(
            "relation `{name}`: column `{}` of {} must have `references = {}`",
            foreign_key.name, holder.model, named.model
        ))
    }
}

impl Declaration {
    /// Whether a column leaves or enters at all.
    pub(super) fn serves(&self, column: &Column) -> bool {
        !column.hidden && self.fields.contains(column.name) && !self.exclude.contains(column.name)
    }

    /// Whether a client that creates or replaces an object must send the column.
    pub(super) fn requires(&self, column: &Column) -> bool {
        if column.is_required() {
            !self.optional.contains(column.name)
        } else {
            self.required.contains(column.name)
        }
    }
}
