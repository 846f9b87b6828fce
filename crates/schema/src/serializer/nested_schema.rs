//! Descriptions of relations whose rows clients write with their parent.

use std::sync::Arc;

use crate::constraints::Constraints;
use crate::query::AnyColumns;
use crate::serializer::compiled::{CompiledSerializer, InputField, InputTarget, NestedInput, NestedRows};
use crate::serializer::declaration::WriteMode;
use crate::serializer::describe::{InputRules, InputSchema, NestedObjects, NestedSchema, NestedValue};
use crate::serializer::nested_links::NestedLinks;
use crate::serializer::visibility::{RelatedWrites, Visibility};

impl CompiledSerializer {
    /// Describes the relations whose rows the caller may write with their parent.
    pub(super) fn describe_nested(&self, visibility: Option<&Arc<dyn Visibility>>) -> Vec<NestedSchema> {
        let nested = self.nested_inputs().iter();
        nested.filter_map(|nested| describe(nested, visibility)).collect()
    }
}

fn describe(nested: &NestedInput, visibility: Option<&Arc<dyn Visibility>>) -> Option<NestedSchema> {
    let hidden = |table| visibility.map_or(AnyColumns::NONE, |visibility| visibility.hidden(table));
    let writes = visibility.map_or(RelatedWrites::OPEN, |visibility| {
        visibility.related_writes(nested.table())
    });
    let is_link = matches!(nested.rows, NestedRows::Links(_));
    let can_change = writes.can_change && !is_link;
    let is_denied = !(writes.can_add || can_change || writes.can_remove);
    if is_denied || hidden(nested.table()).contains(nested.foreign_key) {
        return None;
    }
    let (model, value) = match &nested.rows {
        NestedRows::Objects(serializer) => {
            let hidden = hidden(serializer.table()).with(nested.foreign_key);
            let objects = describe_objects(serializer, hidden, &writes);
            (serializer.table().model, NestedValue::Objects(objects))
        }
        NestedRows::Links(links) => {
            let is_hidden =
                hidden(links.table).contains(links.to) || hidden(links.target).contains(links.column);
            if is_hidden {
                return None;
            }
            (
                links.target.model,
                NestedValue::Links(Box::new(describe_link(links)?)),
            )
        }
    };
    Some(NestedSchema {
        name: nested.name,
        description: nested.description,
        model,
        can_add: writes.can_add,
        can_change,
        can_remove: writes.can_remove,
        value,
    })
}

fn describe_objects(
    serializer: &CompiledSerializer,
    hidden: AnyColumns,
    writes: &RelatedWrites,
) -> NestedObjects {
    let fields = |mode| {
        let is_new = mode == WriteMode::Create;
        let key = AnyColumns::NONE.with(serializer.table().primary_key);
        let rules = InputRules {
            read_only: hidden.union(if is_new {
                writes.unset_on_create
            } else {
                writes.unset_on_update
            }),
            presets: if is_new { writes.presets } else { AnyColumns::NONE },
            identifying: if is_new { AnyColumns::NONE } else { key },
            ..InputRules::of(mode)
        };
        let inputs = serializer.inputs.iter();
        inputs
            .filter_map(|input| serializer.describe_input(input, &rules))
            .collect()
    };
    NestedObjects {
        create: fields(WriteMode::Create),
        replace: fields(WriteMode::Replace),
        update: fields(WriteMode::Update),
    }
}

/// Describes the value by which bodies name a related object.
fn describe_link(links: &NestedLinks) -> Option<InputSchema> {
    let column = &links.target.columns[links.column];
    let field = InputField {
        name: column.wire_name(),
        alias: None,
        target: InputTarget::ReadOnly(None),
    };
    Some(field.of_column(column, &Constraints::new(column).ok()?))
}
