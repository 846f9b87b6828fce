//! Columns whose presence a serializer requires differently from their model.

use crate::query::AnyColumns;
use crate::serializer::compiled::{CompiledSerializer, InputField, InputTarget};
use crate::serializer::declaration::Declaration;

impl CompiledSerializer {
    /// Rejects `REQUIRED` and `OPTIONAL` that contradict each other, or name columns that clients cannot set.
    pub(super) fn check_presence(&self, declaration: &Declaration) -> Result<(), String> {
        let model = declaration.table.model;
        let mut required = declaration.required.of_table(declaration.table);
        if let Some((_, column)) = required.find(|(position, _)| declaration.optional.contains(*position)) {
            return Err(format!(
                "serializer of {model}: `{}` is in REQUIRED and in OPTIONAL; take it out of one",
                column.name
            ));
        }
        for (list, columns) in [
            ("REQUIRED", declaration.required),
            ("OPTIONAL", declaration.optional),
        ] {
            // All columns means all that clients can set.
            if columns == AnyColumns::ALL {
                continue;
            }
            let mut columns = columns.of_table(declaration.table);
            if let Some((_, column)) = columns.find(|(position, _)| !self.is_settable(*position)) {
                return Err(format!(
                    "serializer of {model}: {list} names `{}`, which clients cannot set; take it out, or let the \
                     column in",
                    column.name
                ));
            }
        }
        Ok(())
    }

    fn is_settable(&self, column: usize) -> bool {
        let is_column = |field: &InputField| matches!(&field.target, InputTarget::Column(input) if input.position == column);
        self.inputs.iter().any(is_column)
    }
}
