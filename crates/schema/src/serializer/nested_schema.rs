//! Descriptions of relations whose objects clients write with their parent.

use std::sync::Arc;

use crate::query::AnyColumns;
use crate::serializer::compiled::{CompiledSerializer, NestedInput};
use crate::serializer::declaration::WriteMode;
use crate::serializer::describe::{InputRules, NestedSchema};
use crate::serializer::visibility::Visibility;

impl CompiledSerializer {
    /// Describes the relations whose objects the caller may write with their parent.
    pub(super) fn describe_nested(&self, visibility: Option<&Arc<dyn Visibility>>) -> Vec<NestedSchema> {
        let nested = self.nested_inputs().iter();
        nested.filter_map(|nested| describe(nested, visibility)).collect()
    }
}

fn describe(nested: &NestedInput, visibility: Option<&Arc<dyn Visibility>>) -> Option<NestedSchema> {
    let table = nested.serializer.table();
    let hidden = visibility.map_or(AnyColumns::NONE, |visibility| visibility.hidden(table));
    if hidden.contains(nested.foreign_key) {
        return None;
    }
    let fields = |mode| {
        let is_new = mode == WriteMode::Create;
        let key = AnyColumns::NONE.with(table.primary_key);
        let rules = InputRules {
            read_only: hidden.with(nested.foreign_key),
            identifying: if is_new { AnyColumns::NONE } else { key },
            ..InputRules::of(mode)
        };
        let inputs = nested.serializer.inputs.iter();
        inputs
            .filter_map(|input| nested.serializer.describe_input(input, &rules))
            .collect()
    };
    Some(NestedSchema {
        name: nested.name,
        description: nested.description,
        model: table.model,
        create: fields(WriteMode::Create),
        replace: fields(WriteMode::Replace),
        update: fields(WriteMode::Update),
    })
}
