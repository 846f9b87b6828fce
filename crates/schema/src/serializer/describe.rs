//! Descriptions of objects as clients read and write them, for documentation and generated clients.

use std::sync::Arc;

use crate::column::{Column, ColumnRole, OnDelete};
use crate::constraints::{Constraints, FieldConstraints};
use crate::data_type::DataType;
use crate::naming;
use crate::query::AnyColumns;
use crate::serializer::compiled::{CompiledSerializer, InputField, InputTarget};
use crate::serializer::declaration::{Envelope, WriteMode};
use crate::serializer::visibility::Visibility;
use crate::transitions::Transitions;

/// Object of a model as a serializer reads and writes it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ObjectSchema {
    /// Name of the model.
    pub model: &'static str,
    /// Documentation of the model, in Markdown; empty if there is none.
    pub description: &'static str,
    /// Envelope around the object, if it has one.
    pub envelope: Option<Envelope>,
    /// Fields of responses, in their order.
    pub output: Vec<OutputSchema>,
    /// Fields of request bodies.
    pub input: Vec<InputSchema>,
    /// Relations whose objects a request body may have.
    pub nested: Vec<NestedSchema>,
}

/// Field of a response.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OutputSchema {
    /// Name in JSON.
    pub name: String,
    /// Name for people, such as `First Name`.
    pub label: String,
    /// Documentation, in Markdown; empty if there is none.
    pub description: &'static str,
    /// Type of the value.
    pub value: OutputValue,
    /// JSON Schema of a computed value, if the serializer declares it.
    pub schema: Option<serde_json::Value>,
    /// Whether the field is written only if the request names it in `expand`.
    pub is_expandable: bool,
    /// Whether the field is left out of some objects: it is private, and the caller does not see it on every row.
    pub is_private: bool,
}

/// Type of a response field.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OutputValue {
    /// Value of a column.
    Column {
        /// Data type of the column.
        data_type: DataType,
        /// Whether the value may be null.
        nullable: bool,
        /// Model that the column references, if it is a foreign key.
        references: Option<&'static str>,
        /// Action when the referenced object is deleted, if it is a foreign key.
        on_delete: Option<OnDelete>,
        /// Documentation of an enum's values, in the order of their names; empty if there is none.
        value_descriptions: &'static [&'static str],
        /// Whether it is a text that may have several lines.
        is_long_text: bool,
    },
    /// Value that the application computes; its type is unknown.
    Computed,
    /// Related objects.
    Related {
        /// Model of the related objects.
        model: &'static str,
        /// Whether it is an array.
        is_many: bool,
        /// Whether a join model relates the objects.
        is_joined: bool,
        /// Fields of a related object. Those of an expandable relation have no further fields in turn, since relations
        /// may form cycles.
        fields: Vec<OutputSchema>,
    },
    /// Values of one column of related objects.
    RelatedValues {
        /// Model of the related objects.
        model: &'static str,
        /// Whether it is an array. Otherwise it is `null` without a related object.
        is_many: bool,
        /// Data type of the column.
        data_type: DataType,
        /// Whether the value of a related object may be null.
        nullable: bool,
        /// Whether the values are the primary keys of the objects.
        are_keys: bool,
    },
}

/// Field of a request body.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InputSchema {
    /// Name in JSON.
    pub name: String,
    /// Name for people, such as `First Name`.
    pub label: String,
    /// Documentation, in Markdown; empty if there is none.
    pub description: &'static str,
    /// Other accepted spelling of the name.
    pub alias: Option<&'static str>,
    /// Data type.
    pub data_type: DataType,
    /// Whether the value may be null.
    pub nullable: bool,
    /// Whether the body must have the field.
    pub is_required: bool,
    /// Other field that a body with this one has, too.
    pub needs: Option<&'static str>,
    /// Source of the value, if the server sets it. The body may leave the field out, or repeat the value.
    pub preset: Option<PresetSource>,
    /// Default value of a new row, in its wire form.
    pub default: Option<&'static str>,
    /// Model that the column references, if it is a foreign key.
    pub references: Option<&'static str>,
    /// Constraints of the value.
    pub constraints: FieldConstraints,
    /// Documentation of an enum's values, in the order of their names; empty if there is none.
    pub value_descriptions: &'static [&'static str],
    /// Allowed changes of an enum's value.
    pub transitions: Transitions,
    /// Whether no two objects may have the same value.
    pub is_unique: bool,
    /// Whether it is a text that may have several lines.
    pub is_long_text: bool,
}

impl InputSchema {
    /// Whether two fields are the same, apart from whether a body must have them.
    pub fn is_same_apart_from_presence(&self, other: &Self) -> bool {
        let Self {
            name,
            label,
            description,
            alias,
            data_type,
            nullable,
            is_required: _,
            needs: _,
            preset,
            default,
            references,
            constraints,
            value_descriptions,
            transitions,
            is_unique,
            is_long_text,
        } = self;
        *name == other.name
            && *label == other.label
            && *description == other.description
            && *alias == other.alias
            && *data_type == other.data_type
            && *nullable == other.nullable
            && *preset == other.preset
            && *default == other.default
            && *references == other.references
            && *constraints == other.constraints
            && *value_descriptions == other.value_descriptions
            && *transitions == other.transitions
            && *is_unique == other.is_unique
            && *is_long_text == other.is_long_text
    }
}

/// Relation whose objects are written with their parent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NestedSchema {
    /// Name in JSON.
    pub name: &'static str,
    /// Documentation of the relation, in Markdown; empty if there is none.
    pub description: &'static str,
    /// Name of the related model.
    pub model: &'static str,
    /// Whether the caller may create related objects, or links to them.
    pub can_add: bool,
    /// Whether the caller may change existing related objects, at least some.
    pub can_change: bool,
    /// Whether the caller may remove existing related objects, or links to them, at least some.
    pub can_remove: bool,
    /// Value of the relation.
    pub value: NestedValue,
}

/// Value of a relation in a body.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NestedValue {
    /// Related objects.
    Objects(NestedObjects),
    /// Values by which existing objects are named.
    Links(Box<InputSchema>),
}

/// Fields of related objects.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NestedObjects {
    /// Fields of a new object.
    pub create: Vec<InputSchema>,
    /// Fields of an existing object in the list of all objects. Its key is required.
    pub replace: Vec<InputSchema>,
    /// Fields of an existing object among changes. Its key is required.
    pub update: Vec<InputSchema>,
}

/// Source of a value that the server sets on an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresetSource {
    /// A parameter of the URL.
    Url,
    /// The policy, which decides by the caller.
    Policy,
}

/// Use of a serializer's inputs by one operation and caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InputRules {
    /// Kind of write.
    pub mode: WriteMode,
    /// Columns that the caller cannot set.
    pub read_only: AnyColumns,
    /// Columns that the policy presets.
    pub presets: AnyColumns,
    /// Columns whose value the URL fixes.
    pub from_url: AnyColumns,
    /// Columns by which a body identifies its object; required, also if they are otherwise read-only.
    pub identifying: AnyColumns,
}

impl InputRules {
    /// Inputs of a write without a policy, at a URL that fixes nothing.
    pub const fn of(mode: WriteMode) -> Self {
        Self {
            mode,
            read_only: AnyColumns::NONE,
            presets: AnyColumns::NONE,
            from_url: AnyColumns::NONE,
            identifying: AnyColumns::NONE,
        }
    }

    /// Source of a column's value, if the server sets it.
    fn preset(&self, column: usize) -> Option<PresetSource> {
        if self.from_url.contains(column) {
            Some(PresetSource::Url)
        } else if self.presets.contains(column) {
            Some(PresetSource::Policy)
        } else {
            None
        }
    }
}

impl CompiledSerializer {
    /// Describes the objects that this serializer reads and writes: those that a caller with this visibility sees,
    /// with the inputs that they may send.
    pub fn describe(&self, visibility: Option<&Arc<dyn Visibility>>, rules: &InputRules) -> ObjectSchema {
        let whole = self.projection();
        let output = match visibility {
            Some(visibility) => whole.restricted_to(visibility).describe(),
            None => whole.describe(),
        };
        let inputs = self.inputs.iter();
        ObjectSchema {
            model: self.table().model,
            description: self.table().description,
            envelope: whole.envelope.clone(),
            output,
            input: inputs
                .filter_map(|input| self.describe_input(input, rules))
                .collect(),
            nested: self.describe_nested(visibility),
        }
    }
}

impl CompiledSerializer {
    /// Describes an input; `None` if clients cannot set it.
    pub(super) fn describe_input(&self, field: &InputField, rules: &InputRules) -> Option<InputSchema> {
        let column = match &field.target {
            InputTarget::ReadOnly(position) => *position,
            InputTarget::Column(input) => Some(input.position),
            InputTarget::Extra(_) | InputTarget::Nested(_) => None,
        };
        let is_identifying = column.is_some_and(|column| rules.identifying.contains(column));
        let is_read_only = column.is_some_and(|column| rules.read_only.contains(column));
        match &field.target {
            InputTarget::ReadOnly(Some(position)) if is_identifying => {
                let column = &self.table().columns[*position];
                let check = Constraints::new(column).ok()?;
                Some(InputSchema {
                    is_required: true,
                    ..field.of_column(column, &check)
                })
            }
            InputTarget::ReadOnly(_) | InputTarget::Nested(_) => None,
            InputTarget::Column(_) if is_read_only && !is_identifying => None,
            InputTarget::Column(input) => {
                let preset = rules.preset(input.position).filter(|_| !is_identifying);
                let is_required = input.is_required && rules.mode != WriteMode::Update && preset.is_none();
                Some(InputSchema {
                    nullable: input.is_nullable,
                    is_required: is_required || is_identifying,
                    preset,
                    ..field.of_column(input.column, &input.check)
                })
            }
            InputTarget::Extra(extra) => Some(InputSchema {
                name: field.name.clone(),
                label: naming::label(&field.name),
                description: extra.description,
                alias: field.alias,
                data_type: extra.data_type,
                nullable: false,
                is_required: extra.required_on_create && rules.mode == WriteMode::Create,
                needs: extra.needs,
                preset: None,
                default: None,
                references: None,
                constraints: extra.check.describe(),
                value_descriptions: &[],
                transitions: Transitions::ANY,
                is_unique: false,
                is_long_text: false,
            }),
        }
    }
}

impl InputField {
    /// Describes the input of a column as one that may be left out.
    pub(super) fn of_column(&self, column: &'static Column, check: &Constraints) -> InputSchema {
        InputSchema {
            name: self.name.clone(),
            label: column.label(),
            description: column.description,
            alias: self.alias,
            data_type: column.data_type,
            nullable: column.nullable,
            is_required: false,
            needs: None,
            preset: None,
            default: column.default,
            references: column.referenced_model(),
            constraints: check.describe(),
            value_descriptions: column.value_descriptions,
            transitions: column.transitions,
            is_unique: column.unique || matches!(column.role, ColumnRole::PrimaryKey(_)),
            is_long_text: column.is_long_text(),
        }
    }
}
