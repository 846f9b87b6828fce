//! Serializers compiled once at startup.

use std::collections::HashSet;
use std::sync::Arc;

use crate::column::{Column, Table};
use crate::constraints::Constraints;
use crate::data_type::DataType;
use crate::serializer::declaration::{
    Added, BatchCheck, CallerCheck, Convert, Declaration, DeclaredRelation, InputReader, PostLoad, PreLoad,
    Validate, ValidateWhole,
};
use crate::serializer::model_serializer::{RegisteredSerializer, declaration_of};
use crate::serializer::name_checks::reject_duplicate_names;
use crate::serializer::nested_links::{NestedLinks, compile_links};
use crate::serializer::projection::Projection;

/// A type-erased serializer, compiled at startup and immutable.
pub struct CompiledSerializer {
    pub(super) projection: Arc<Projection>,
    pub(super) inputs: Vec<InputField>,
    pub(super) conversions: Vec<(&'static str, usize, Convert)>,
    pub(super) validate: ValidateWhole,
    pub(super) pre_load: Vec<PreLoad>,
    pub(super) post_load: Vec<PostLoad>,
    batch_checks: Vec<BatchCheck>,
    caller_checks: Vec<CallerCheck>,
    /// Relations whose objects clients write.
    pub(super) nested: Vec<NestedInput>,
    /// Extra fields that only a handler reads.
    left_to_handler: Vec<&'static str>,
    validates_whole: bool,
}

/// A relation whose objects can be written together with their parent.
pub struct NestedInput {
    /// Name of the relation.
    pub name: &'static str,
    /// Position of the foreign key to the parent, in the table of the written rows.
    pub foreign_key: usize,
    /// Rows that are written.
    pub rows: NestedRows,
    /// Documentation of the relation for clients; empty if there is none.
    pub(super) description: &'static str,
}

/// Rows that are written together with their parent.
pub enum NestedRows {
    /// Related objects, by their serializer.
    Objects(Arc<CompiledSerializer>),
    /// Rows of a join model, which relate existing objects.
    Links(NestedLinks),
}

/// A field that clients may send.
pub(super) struct InputField {
    pub(super) name: String,
    pub(super) alias: Option<&'static str>,
    pub(super) target: InputTarget,
}

impl InputField {
    /// Names that clients may use.
    fn names(&self) -> impl Iterator<Item = &str> {
        [self.name.as_str()].into_iter().chain(self.alias)
    }

    /// Whether this name refers to the field.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.spelling(name).is_some()
    }

    /// Returns the spelling that this name is, if any.
    pub(super) fn spelling(&self, name: &str) -> Option<Spelling> {
        match name {
            _ if self.name == name => Some(Spelling::Name),
            _ if self.alias == Some(name) => Some(Spelling::Alias),
            _ => None,
        }
    }
}

/// Spelling of a field's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    Name,
    Alias,
}

pub(super) enum InputTarget {
    /// Known, but not writable by clients.
    ReadOnly(Option<usize>),
    Column(ColumnInput),
    Extra(ExtraTarget),
    /// A relation, by its position among those that clients write.
    Nested(usize),
}

pub(super) struct ColumnInput {
    pub(super) position: usize,
    pub(super) column: &'static Column,
    /// Whether it is required on create and replace.
    pub(super) is_required: bool,
    /// Whether it may be null.
    pub(super) is_nullable: bool,
    pub(super) check: Constraints,
    pub(super) validators: Vec<Validate>,
}

pub(super) struct ExtraTarget {
    pub(super) name: &'static str,
    pub(super) data_type: DataType,
    pub(super) check: Constraints,
    pub(super) required_on_create: bool,
    /// Other extra field that a body with this one has, too.
    pub(super) needs: Option<&'static str>,
    pub(super) description: &'static str,
}

impl CompiledSerializer {
    /// Compiles a registered serializer. The error names the mistake in the model or the serializer, and the remedy.
    pub fn new<S: RegisteredSerializer>() -> Result<Self, String> {
        Self::of(declaration_of::<S>(), S::VALIDATES)
    }

    /// Compiles a declaration. `validates_whole` is whether its `validate` looks at the whole object.
    pub(super) fn of(declaration: Declaration, validates_whole: bool) -> Result<Self, String> {
        let mut serializer = Self {
            projection: Arc::new(Projection::of(&declaration, &[])?),
            inputs: Vec::new(),
            conversions: Vec::new(),
            validate: declaration.validate,
            pre_load: declaration.added.pre_load.clone(),
            post_load: declaration.added.post_load.clone(),
            batch_checks: declaration.added.batch_checks.clone(),
            caller_checks: declaration.added.caller_checks.clone(),
            nested: compile_nested(declaration.table.model, &declaration.added)?,
            left_to_handler: Vec::new(),
            validates_whole: validates_whole || declaration.added.validates_whole(),
        };
        serializer.add_columns(&declaration)?;
        serializer.reject_unused_checks(&declaration.added)?;
        serializer.reject_undescribed(&declaration.added)?;
        serializer.check_presence(&declaration)?;
        serializer.add_declared(declaration.added)?;
        serializer.reject_unknown_needs()?;
        let names = serializer.inputs.iter().flat_map(InputField::names);
        reject_duplicate_names(serializer.table(), names)?;
        serializer.projection.check_expandable(&mut HashSet::new())?;
        Ok(serializer)
    }

    /// Table of the serializer's model.
    pub fn table(&self) -> &'static Table {
        self.projection.table
    }

    /// Fields that the serializer writes.
    pub fn projection(&self) -> &Arc<Projection> {
        &self.projection
    }

    /// Checks over all objects of a request, in order.
    #[doc(hidden)]
    pub fn batch_checks(&self) -> &[BatchCheck] {
        &self.batch_checks
    }

    /// Checks of an object for the caller who writes it, in order.
    #[doc(hidden)]
    pub fn caller_checks(&self) -> &[CallerCheck] {
        &self.caller_checks
    }

    /// Extra fields that only a custom handler can read: they are stored in no column, and the serializer has no
    /// `validate`, no hook after loading and no check with the caller or of a batch.
    pub fn inputs_for_handler(&self) -> &[&'static str] {
        if self.validates_whole() {
            &[]
        } else {
            &self.left_to_handler
        }
    }

    /// Whether an update must be validated against the row it changes.
    pub fn validates_whole(&self) -> bool {
        self.validates_whole
    }

    /// Whether an update reads the row first: to validate it, or to do no slow work for a row that does not exist.
    pub fn reads_before_update(&self) -> bool {
        self.validates_whole() || !self.conversions.is_empty()
    }

    fn add_columns(&mut self, declaration: &Declaration) -> Result<(), String> {
        let table = self.table();
        for (position, column) in table.columns.iter().enumerate() {
            let check =
                Constraints::new(column).map_err(|mistake| format!("model {}: {mistake}", table.model))?;
            if !declaration.serves(position) {
                continue;
            }
            let name = column.wire_name();
            let target = if column.is_generated() || declaration.read_only.contains(position) {
                InputTarget::ReadOnly(Some(position))
            } else {
                let validators = declaration
                    .added
                    .validators
                    .iter()
                    .filter(|(of, _)| *of == position);
                let validators = validators.map(|(_, validate)| Arc::clone(validate)).collect();
                InputTarget::Column(ColumnInput {
                    position,
                    column,
                    is_required: declaration.requires(position),
                    is_nullable: column.nullable && !declaration.required.contains(position),
                    check,
                    validators,
                })
            };
            let has_alias = table.takes_snake_case && column.json_name.is_none() && name != column.name;
            let alias = has_alias.then_some(column.name);
            self.inputs.push(InputField { name, alias, target });
        }
        Ok(())
    }

    /// Rejects an extra field that needs a field that is no extra field.
    fn reject_unknown_needs(&self) -> Result<(), String> {
        let extras = self.inputs.iter().filter_map(|field| match &field.target {
            InputTarget::Extra(extra) => Some(extra),
            InputTarget::Column(_) | InputTarget::ReadOnly(_) | InputTarget::Nested(_) => None,
        });
        let names: Vec<&str> = extras.clone().map(|extra| extra.name).collect();
        for extra in extras {
            if let Some(needed) = extra.needs
                && !names.contains(&needed)
            {
                return Err(format!(
                    "serializer of {}: the input `{}` needs `{needed}`, which is no extra field",
                    self.table().model,
                    extra.name
                ));
            }
        }
        Ok(())
    }

    fn add_declared(&mut self, added: Added) -> Result<(), String> {
        let projection = Arc::clone(&self.projection);
        let is_writable = |name: &&str| self.nested.iter().any(|nested| nested.name == *name);
        let read_only = projection.names_beside_columns();
        let read_only = read_only.filter(|name| !is_writable(name));
        self.inputs.extend(read_only.map(|name| InputField {
            name: name.to_owned(),
            alias: None,
            target: InputTarget::ReadOnly(None),
        }));
        for (position, nested) in self.nested.iter().enumerate() {
            self.inputs.push(InputField {
                name: nested.name.to_owned(),
                alias: None,
                target: InputTarget::Nested(position),
            });
        }
        for input in added.inputs {
            let Column {
                name,
                data_type,
                description,
                ..
            } = input.column;
            let check = Constraints::new(&input.column)
                .map_err(|mistake| format!("serializer of {}: {mistake}", projection.table.model))?;
            match input.reader {
                Some(InputReader::Column(column, convert)) => self.conversions.push((name, column, convert)),
                Some(InputReader::Handler) => self.left_to_handler.push(name),
                None => {
                    return Err(format!(
                        "serializer of {}: nothing reads the input `{name}`; store it by `.into_column(..)`, or add \
                         `.for_handler()` if `validate`, a hook or a handler reads it by `draft.extra(\"{name}\")`",
                        projection.table.model
                    ));
                }
            }
            let extra = ExtraTarget {
                name,
                data_type,
                check,
                required_on_create: input.required_on_create,
                needs: input.needs,
                description,
            };
            self.inputs.push(InputField {
                name: name.to_owned(),
                alias: None,
                target: InputTarget::Extra(extra),
            });
        }
        Ok(())
    }

    /// Rejects a description of a field that the serializer does not add.
    fn reject_undescribed(&self, added: &Added) -> Result<(), String> {
        match added.undescribed.first() {
            Some(name) => Err(format!(
                "serializer of {}: `.describe(\"{name}\", ..)` or `.schema(\"{name}\", ..)` names no field that was added \
                 before it; a column is documented by the doc comment of the model's field",
                self.table().model
            )),
            None => Ok(()),
        }
    }

    /// Rejects the check of a column that clients cannot set, since it would never run.
    fn reject_unused_checks(&self, added: &Added) -> Result<(), String> {
        for (checked, _) in &added.validators {
            let is_checked = |field: &InputField| matches!(&field.target, InputTarget::Column(input) if input.position == *checked);
            if !self.inputs.iter().any(is_checked) {
                return Err(format!(
                    "serializer of {}: the check of `{}` never runs, since clients cannot set it; take the check away, \
                     or let the column in",
                    self.table().model,
                    self.table().columns[*checked].name
                ));
            }
        }
        Ok(())
    }
}

/// Compiles the relations that a serializer lets clients write.
fn compile_nested(model: &str, added: &Added) -> Result<Vec<NestedInput>, String> {
    let mut names = HashSet::new();
    let mut inputs = Vec::new();
    for name in &added.writable {
        let mistake = |text: &str| format!("serializer of {model}: `.writable(\"{name}\")` {text}");
        let mut relations = added.expandable.iter().chain(&added.nested);
        let relation = relations.find(|relation| relation.name == *name && relation.link.is_many());
        let relation = relation
            .ok_or_else(|| mistake("names no relation; add it by `has_many` or `many_to_many` before"))?;
        if !names.insert(*name) {
            return Err(mistake("occurs twice; take one away"));
        }
        inputs.push(compile_relation(relation).map_err(|text| mistake(&text))?);
    }
    Ok(inputs)
}

fn compile_relation(relation: &DeclaredRelation) -> Result<NestedInput, String> {
    let written = match relation.link.join() {
        Some(join) => join.table,
        None => (relation.table)(),
    };
    if written.is_view {
        return Err("leads to a view, which is only read; take it away".to_owned());
    }
    let (foreign_key, rows) = match relation.link.join() {
        Some(join) => (join.from, NestedRows::Links(compile_links(relation, join)?)),
        None => (
            relation.link.to,
            NestedRows::Objects(Arc::new(compile_objects(relation)?)),
        ),
    };
    Ok(NestedInput {
        name: relation.name,
        foreign_key,
        rows,
        description: relation.link.description,
    })
}

/// Compiles the serializer of objects that are written with their parent.
fn compile_objects(relation: &DeclaredRelation) -> Result<CompiledSerializer, String> {
    let declaration = (relation.declaration)();
    if relation.link.member.is_some() {
        return Err(
            "cannot be combined with `as_keys` and `as_member`, since whole objects are written".to_owned(),
        );
    }
    let reject = |reason| {
        Err(format!(
            "leads to a serializer {reason}; use another serializer there"
        ))
    };
    if declaration.envelope.is_some() {
        return reject("with an envelope");
    }
    if !declaration.added.writable.is_empty() {
        return reject("that has writable relations itself, and only one level can be written");
    }
    if !declaration.added.batch_checks.is_empty() {
        return reject("with `validate_batch`, which does not run for nested objects");
    }
    CompiledSerializer::of(declaration, true)
}
