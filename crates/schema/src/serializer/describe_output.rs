//! Descriptions of the members that a projection writes.

use crate::column::Table;
use crate::naming;
use crate::serializer::describe::{OutputSchema, OutputValue};
use crate::serializer::projection::{Expandable, FieldSource, OutputField, Projection};
use crate::serializer::relation_columns::RelationColumns;

impl Projection {
    /// Describes the fields, including the relations that a request may expand.
    pub fn describe(&self) -> Vec<OutputSchema> {
        self.describe_with(|relation| self.related_projection(relation).describe_with(|_| Vec::new()))
    }

    /// Describes the fields, and those of the relations that a request may expand.
    fn describe_with(&self, fields: impl Fn(&Expandable) -> Vec<OutputSchema>) -> Vec<OutputSchema> {
        let members = self.members.iter().map(|member| self.describe_member(member));
        let expandable = self.expandable().map(|relation| OutputSchema {
            name: relation.name.to_owned(),
            label: naming::label(relation.name),
            description: relation.link.description,
            value: match relation.link.member {
                Some(member) => self.describe_values(relation.link, relation.table, member),
                None => OutputValue::Related {
                    model: relation.table.model,
                    is_many: relation.link.is_many(),
                    is_joined: relation.link.join().is_some(),
                    fields: fields(relation),
                },
            },
            schema: None,
            is_expandable: true,
            is_private: false,
        });
        members.chain(expandable).collect()
    }

    fn describe_member(&self, member: &OutputField) -> OutputSchema {
        let (label, description, value) = match &member.source {
            FieldSource::Column(position) => {
                let column = &self.table.columns[*position];
                let value = OutputValue::Column {
                    data_type: column.data_type,
                    nullable: column.nullable,
                    references: column.referenced_model(),
                    on_delete: column.references.map(|references| references.on_delete),
                    value_descriptions: column.value_descriptions,
                    is_long_text: column.is_long_text(),
                };
                (column.label(), column.description, value)
            }
            FieldSource::Computed(computed) => {
                let label = naming::label(&member.name);
                (label, computed.description, OutputValue::Computed)
            }
            FieldSource::Related(link, projection) => {
                let value = OutputValue::Related {
                    model: projection.table.model,
                    is_many: link.is_many(),
                    is_joined: link.join().is_some(),
                    fields: projection.describe(),
                };
                (naming::label(&member.name), link.description, value)
            }
            FieldSource::Values(link, table) => {
                let column = link.member.unwrap_or(table.primary_key);
                let value = self.describe_values(*link, table, column);
                (naming::label(&member.name), link.description, value)
            }
        };
        OutputSchema {
            name: member.name.clone(),
            label,
            description,
            value,
            schema: match &member.source {
                FieldSource::Computed(computed) => computed.schema.map(|schema| schema()),
                FieldSource::Column(_) | FieldSource::Related(..) | FieldSource::Values(..) => None,
            },
            is_expandable: false,
            is_private: self.hides_on_some_rows(&member.name),
        }
    }
}

impl Projection {
    /// Describes the values of a column of related rows.
    fn describe_values(&self, link: RelationColumns, table: &'static Table, member: usize) -> OutputValue {
        let column = &table.columns[member];
        let private = self.private_columns(table);
        OutputValue::RelatedValues {
            model: table.model,
            is_many: link.is_many(),
            data_type: column.data_type,
            nullable: column.nullable || private.is_some_and(|private| private.columns.contains(member)),
            are_keys: member == table.primary_key,
        }
    }
}
