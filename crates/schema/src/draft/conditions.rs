//! Checks and transitions of a table, evaluated before a row is written. The write evaluates them again.

use crate::column::{Column, ColumnRole, KeyGeneration};
use crate::draft::AnyDraft;
use crate::draft::any_draft::DraftBase;
use crate::errors::Errors;
use crate::model::Row as _;
use crate::value::Value;

impl AnyDraft {
    /// Adds an error for each check of the table that the written row would violate, as far as its values are known.
    pub(super) fn check_conditions(&self, errors: &mut Errors) {
        let table = self.table();
        for check in table.checks {
            let condition = (check.condition)();
            let columns = condition.columns();
            let values: Option<Vec<Value>> = columns.iter().map(|column| self.written(*column)).collect();
            let Some(values) = values else { continue };
            let value = |column: usize| {
                let place = columns.binary_search(&column).expect("a column of the condition");
                values[place].borrow()
            };
            if !condition.matches(&value) {
                errors.merge(table.check_error(check));
            }
        }
    }

    /// Adds an error for each enum whose value may not follow the one that was read, or that no new row may have.
    pub(super) fn check_transitions(&self, errors: &mut Errors) {
        let table = self.table();
        match &self.base {
            DraftBase::Blind(_) => {}
            DraftBase::Row(base) => {
                let set = self.set.iter().enumerate();
                let set = set.filter_map(|(position, value)| Some((position, value.as_ref()?.borrow())));
                errors.merge(table.transition_errors(set, |position| base.value(position)));
            }
            DraftBase::Nothing => {
                for (column, value) in table.columns.iter().zip(&self.set) {
                    let transitions = column.transitions;
                    if let Some(Value::Text(name)) = value
                        && !transitions.allow_initial(name)
                    {
                        let message = column.messages.replace(transitions.initial_message());
                        errors.add(column.wire_name(), message);
                    }
                }
            }
        }
    }

    /// Value that the column has after the write; `None` if only the write decides it.
    fn written(&self, position: usize) -> Option<Value> {
        let column = &self.table().columns[position];
        match (&self.set[position], &self.base) {
            (Some(value), _) => Some(value.clone()),
            (None, DraftBase::Row(base)) if !follows(column) => Some(base.value(position).to_value()),
            (None, DraftBase::Nothing) if is_plain(column) => match column.default_value() {
                Some(value) => value.ok(),
                None => column.nullable.then_some(Value::Null),
            },
            (None, _) => None,
        }
    }
}

/// Whether nothing but the client, the program or the default gives the column of a new row its value.
fn is_plain(column: &Column) -> bool {
    match column.role {
        ColumnRole::Data | ColumnRole::Deleted | ColumnRole::PrimaryKey(KeyGeneration::Client) => true,
        ColumnRole::PrimaryKey(_) | ColumnRole::Slug(_) | ColumnRole::StableSlug(_) => false,
        ColumnRole::Created | ColumnRole::Updated | ColumnRole::Version => false,
    }
}

/// Whether an update of other columns may change the column.
fn follows(column: &Column) -> bool {
    match column.role {
        ColumnRole::Updated | ColumnRole::Version | ColumnRole::Slug(_) => true,
        ColumnRole::Data | ColumnRole::Deleted | ColumnRole::PrimaryKey(_) => false,
        ColumnRole::Created | ColumnRole::StableSlug(_) => false,
    }
}
