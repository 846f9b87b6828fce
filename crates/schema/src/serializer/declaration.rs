//! Type-erased declarations of serializers, from which they are compiled.

use std::any::{Any, TypeId};
use std::sync::Arc;

use serde_json::Map;

use crate::column::{Column, Table};
use crate::draft::AnyDraft;
use crate::errors::Errors;
use crate::message::Message;
use crate::model::Row;
use crate::query::AnyColumns;
use crate::serializer::relation_columns::RelationColumns;
use crate::value::{Value, ValueRef};

/// Kind of write that a body is loaded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WriteMode {
    /// New object (create).
    Create,
    /// Saved object, with all required fields (put).
    Replace,
    /// Saved object, with any of its fields (patch).
    Update,
}

/// Keys that wrap an object or a list of objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The key of one object.
    pub one: String,
    /// The key of a list.
    pub many: String,
}

/// Error for a row that cannot be serialized, with its cause: a bug in the program or invalid data.
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
/// Validates one value of the right type.
pub(super) type Validate = Arc<dyn Fn(ValueRef<'_>, WriteMode) -> Result<(), Message> + Send + Sync>;
/// Converts an extra field to a column's value.
pub(super) type Convert = Arc<dyn Fn(ValueRef<'_>) -> Result<Value, Message> + Send + Sync>;
/// Changes the JSON object of a body before its fields are read.
pub(super) type PreLoad =
    Arc<dyn Fn(&mut Map<String, serde_json::Value>, WriteMode, &mut Errors) + Send + Sync>;
/// Changes the draft after its fields were read.
pub(super) type PostLoad = Arc<dyn Fn(&mut AnyDraft, WriteMode, &mut Errors) + Send + Sync>;
/// Builds the instance that is written instead of a row.
pub(super) type PreDump = Arc<dyn Fn(&dyn Row) -> Result<Box<dyn Row>, SerializeError> + Send + Sync>;
/// Validates all objects of a request together; only the crate that serves requests knows its type.
pub(super) type BatchCheck = Arc<dyn Any + Send + Sync>;
/// Validates an object for the caller who writes it; only the crate that serves requests knows its type.
pub(super) type CallerCheck = Arc<dyn Any + Send + Sync>;
/// Validates the whole object.
pub(super) type ValidateWhole = fn(&mut AnyDraft, WriteMode, &mut Errors);

/// Type-erased declaration of a serializer.
pub(super) struct Declaration {
    pub(super) serializer: SerializerType,
    pub(super) table: &'static Table,
    pub(super) fields: AnyColumns,
    pub(super) exclude: AnyColumns,
    pub(super) read_only: AnyColumns,
    pub(super) write_only: AnyColumns,
    pub(super) required: AnyColumns,
    pub(super) optional: AnyColumns,
    pub(super) envelope: Option<Envelope>,
    pub(super) validate: ValidateWhole,
    pub(super) added: Added,
}

/// Type of a serializer, with its name for messages.
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

    /// Rejects a serializer that contains itself, whose output would be infinite.
    pub(super) fn reject_cycle(path: &[Self]) -> Result<(), String> {
        let Some((last, outer)) = path.split_last() else {
            return Ok(());
        };
        let Some(start) = outer.iter().position(|serializer| serializer == last) else {
            return Ok(());
        };
        let names: Vec<&str> = path[start..].iter().map(|serializer| serializer.name()).collect();
        Err(format!(
            "nested serializers form a cycle: {}; nest one without that field",
            names.join(" > ")
        ))
    }
}

/// Additions of a serializer to the columns of its model.
#[derive(Default)]
pub(super) struct Added {
    pub(super) inputs: Vec<ExtraInput>,
    pub(super) computed: Vec<(&'static str, ComputedField)>,
    pub(super) nested: Vec<DeclaredRelation>,
    pub(super) expandable: Vec<DeclaredRelation>,
    /// Names of the relations whose objects clients write.
    pub(super) writable: Vec<&'static str>,
    pub(super) validators: Vec<(usize, Validate)>,
    pub(super) pre_load: Vec<PreLoad>,
    pub(super) post_load: Vec<PostLoad>,
    pub(super) pre_dump: Vec<PreDump>,
    pub(super) batch_checks: Vec<BatchCheck>,
    pub(super) caller_checks: Vec<CallerCheck>,
    /// Names that a description was given for, without a field of that name before it.
    pub(super) undescribed: Vec<&'static str>,
    /// Mistakes in the declarations of relations, with their remedies.
    pub(super) mistakes: Vec<String>,
}

impl Added {
    /// Whether a hook or a check looks at the whole object.
    pub(super) fn validates_whole(&self) -> bool {
        !self.post_load.is_empty() || !self.batch_checks.is_empty() || !self.caller_checks.is_empty()
    }
}

/// A field computed from a row.
#[derive(Clone)]
pub(super) struct ComputedField {
    pub(super) compute: Compute,
    /// Columns that it reads, if declared.
    pub(super) reads: Option<AnyColumns>,
    /// Documentation for clients; empty if there is none.
    pub(super) description: &'static str,
    /// JSON Schema of its values, if declared.
    pub(super) schema: Option<fn() -> serde_json::Value>,
}

impl ComputedField {
    /// Whether it declares to read one of these columns.
    pub(super) fn reads_any(&self, columns: AnyColumns) -> bool {
        self.reads.is_some_and(|reads| reads.intersects(columns))
    }
}

/// A field that clients send and that is not a column.
pub(super) struct ExtraInput {
    /// Name, type and length of the field, described as a column.
    pub(super) column: Column,
    pub(super) required_on_create: bool,
    /// Other extra field that a body with this one has, too.
    pub(super) needs: Option<&'static str>,
    pub(super) reader: Option<InputReader>,
}

/// Reader of an extra field.
pub(super) enum InputReader {
    /// Stored in a column after conversion.
    Column(usize, Convert),
    /// Read from the draft by custom code.
    Handler,
}

/// A relation whose rows another serializer writes.
///
/// The other declaration is created lazily, so that cycles can be detected.
pub(super) struct DeclaredRelation {
    pub(super) name: &'static str,
    pub(super) link: RelationColumns,
    pub(super) declaration: fn() -> Declaration,
    /// Table of the related model.
    pub(super) table: fn() -> &'static Table,
}

impl Declaration {
    /// Checks the declared relations.
    pub(super) fn check_relations(&self) -> Result<(), String> {
        if let Some(mistake) = self.added.mistakes.first() {
            return Err(mistake.clone());
        }
        let mut relations = self.added.nested.iter().chain(&self.added.expandable);
        relations.try_for_each(|relation| relation.link.check(relation.name, self.table, (relation.table)()))
    }

    /// Whether the serializer reads or writes the column at this position.
    pub(super) fn serves(&self, column: usize) -> bool {
        let is_hidden = self.table.columns[column].hidden;
        !is_hidden && self.fields.contains(column) && !self.exclude.contains(column)
    }

    /// Whether clients must send the column at this position on create and replace.
    pub(super) fn requires(&self, column: usize) -> bool {
        if self.table.columns[column].is_required() {
            !self.optional.contains(column)
        } else {
            self.required.contains(column)
        }
    }
}
