//! Violations of a table's checks and transitions.

use crate::column::Table;
use crate::errors::Errors;
use crate::message::Message;
use crate::table_constraints::CheckConstraint;
use crate::value::ValueRef;

impl Table {
    /// Returns the check with this name.
    pub fn check(&self, name: &str) -> Option<&'static CheckConstraint> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// Error for a row that violates a check: of its column if it compares a single one that clients see, else of the
    /// object.
    pub fn check_error(&self, check: &CheckConstraint) -> Errors {
        let text = match check.message {
            Some(text) => text.to_owned(),
            None => format!("Does not meet the condition \"{}\".", check.name),
        };
        let message = Message::new(check.name, text);
        match (check.condition)().columns()[..] {
            [column] if !self.columns[column].hidden => {
                Errors::field(self.columns[column].wire_name(), message)
            }
            _ => Errors::object(message),
        }
    }

    /// Errors for changes of an enum's value that the model does not allow, given the present values of the row.
    pub fn transition_errors<'v>(
        &self,
        changes: impl Iterator<Item = (usize, ValueRef<'v>)>,
        present: impl Fn(usize) -> ValueRef<'v>,
    ) -> Errors {
        let mut errors = Errors::new();
        for (position, value) in changes {
            let column = &self.columns[position];
            if let (ValueRef::Text(from), ValueRef::Text(to)) = (present(position), value)
                && !column.transitions.allow(from, to)
            {
                let message = column.transitions.message(from);
                errors.add(column.wire_name(), column.messages.replace(message));
            }
        }
        errors
    }

    /// Whether the values of some of these columns may only follow others.
    pub fn has_transitions(&self, mut columns: impl Iterator<Item = usize>) -> bool {
        columns.any(|column| !self.columns[column].transitions.is_any())
    }
}
