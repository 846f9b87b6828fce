//! Columns whose presence a serializer requires differently from their model.

use crate::serializer::compiled::{CompiledSerializer, InputField, InputTarget};
use crate::serializer::declaration::Declaration;

impl CompiledSerializer {
    /// Rejects `REQUIRED` and `OPTIONAL` that contradict each other, or name columns that clients cannot set.
    pub(super) fn check_presence(&self, declaration: &Declaration) -> Result<(), String> {
        let model = declaration.table.model;
        let mut required = declaration.required.names().iter();
        if let Some(name) = required.find(|name| declaration.optional.contains(name)) {
            return Err(format!(
                "serializer of {model}: `{name}` is in REQUIRED and in OPTIONAL; take it out of one"
            ));
        }
        for (list, fields) in [
            ("REQUIRED", declaration.required),
            ("OPTIONAL", declaration.optional),
        ] {
            if let Some(name) = fields.names().iter().find(|name| !self.is_settable(name)) {
                return Err(format!(
                    "serializer of {model}: {list} names `{name}`, which clients cannot set; take it out, or let the \
                     column in"
                ));
            }
        }
        Ok(())
    }

    fn is_settable(&self, name: &str) -> bool {
        let is_column = |field: &InputField| matches!(&field.target, InputTarget::Column(input) if input.column.name == name);
        self.inputs.iter().any(is_column)
    }
}
