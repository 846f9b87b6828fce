//! Violations of a table's checks.

use crate::column::Table;
use crate::errors::Errors;
use crate::message::Message;
use crate::table_constraints::CheckConstraint;

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
}
