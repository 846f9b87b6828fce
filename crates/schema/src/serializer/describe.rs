//! Descriptions of objects as clients read and write them, for documentation and generated clients.

use crate::column::Column;
use crate::constraints::FieldConstraints;
use crate::data_type::DataType;
use crate::serializer::compiled::{CompiledSerializer, InputTarget};
use crate::serializer::declaration::Envelope;
use crate::serializer::projection::{FieldSource, OutputField, Projection};

/// Object of a model as a serializer reads and writes it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ObjectSchema {
    /// Name of the model.
    pub model: &'static str,
    /// Envelope around the object, if it has one.
    pub envelope: Option<Envelope>,
    /// Fields of responses, in their order.
    pub output: Vec<OutputSchema>,
    /// Fields of request bodies.
    pub input: Vec<InputSchema>,
}

/// Field of a response.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OutputSchema {
    /// Name in JSON.
    pub name: String,
    /// Type of the value.
    pub value: OutputValue,
    /// Whether the field is written only if the request names it in `expand`.
    pub is_expandable: bool,
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
    },
    /// Value that the application computes; its type is unknown.
    Computed,
    /// Related objects.
    Related {
        /// Model of the related objects.
        model: &'static str,
        /// Whether it is an array.
        is_many: bool,
        /// Fields of a related object; empty for an expandable relation, which has those of its own serializer.
        fields: Vec<OutputSchema>,
    },
}

/// Field of a request body.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InputSchema {
    /// Name in JSON.
    pub name: String,
    /// Other accepted spelling of the name.
    pub alias: Option<&'static str>,
    /// Data type.
    pub data_type: DataType,
    /// Whether the value may be null.
    pub nullable: bool,
    /// Whether the field is required on create and replace.
    pub is_required: bool,
    /// Default value of a new row, in its wire form.
    pub default: Option<&'static str>,
    /// Model that the column references, if it is a foreign key.
    pub references: Option<&'static str>,
    /// Constraints of the value.
    pub constraints: FieldConstraints,
}

impl CompiledSerializer {
    /// Describes the objects that this serializer reads and writes.
    pub fn describe(&self) -> ObjectSchema {
        let projection = self.projection();
        ObjectSchema {
            model: self.table().model,
            envelope: projection.envelope.clone(),
            output: projection.describe(),
            input: self.describe_inputs(),
        }
    }

    fn describe_inputs(&self) -> Vec<InputSchema> {
        let described = self.inputs.iter().filter_map(|input| {
            let (data_type, nullable, is_required, column, check) = match &input.target {
                InputTarget::ReadOnly(_) => return None,
                InputTarget::Column(target) => (
                    target.column.data_type,
                    target.is_nullable,
                    target.is_required,
                    Some(target.column),
                    &target.check,
                ),
                InputTarget::Extra(target) => (
                    target.data_type,
                    false,
                    target.required_on_create,
                    None,
                    &target.check,
                ),
            };
            Some(InputSchema {
                name: input.name.clone(),
                alias: input.alias,
                data_type,
                nullable,
                is_required,
                default: column.and_then(|column| column.default),
                references: column.and_then(referenced_model),
                constraints: check.describe(),
            })
        });
        described.collect()
    }
}

impl Projection {
    /// Describes the fields, including the relations that a request may expand.
    pub fn describe(&self) -> Vec<OutputSchema> {
        let members = self.members.iter().map(|member| OutputSchema {
            name: member.name.clone(),
            value: self.describe_member(member),
            is_expandable: false,
        });
        let expandable = self.expandable().map(|relation| OutputSchema {
            name: relation.name.to_owned(),
            value: OutputValue::Related {
                model: relation.table.model,
                is_many: relation.link.is_many,
                fields: Vec::new(),
            },
            is_expandable: true,
        });
        members.chain(expandable).collect()
    }

    fn describe_member(&self, member: &OutputField) -> OutputValue {
        match &member.source {
            FieldSource::Column(position) => {
                let column = &self.table.columns[*position];
                OutputValue::Column {
                    data_type: column.data_type,
                    nullable: column.nullable,
                    references: referenced_model(column),
                }
            }
            FieldSource::Computed(_) => OutputValue::Computed,
            FieldSource::Related(link, projection) => OutputValue::Related {
                model: projection.table.model,
                is_many: link.is_many,
                fields: projection.describe(),
            },
        }
    }
}

fn referenced_model(column: &Column) -> Option<&'static str> {
    let references = column.references?;
    Some((references.table)().model)
}
