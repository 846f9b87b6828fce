//! Actions that a caller can use, and the rows that they reach.

use model_resource_schema::column::Table;
use model_resource_schema::query::RowScope;

use crate::description::caller_key::DescriptionKey;
use crate::description::described_action::DescribedAction;
use crate::routing::{Operation, Parent};

/// Use of an action by a caller.
pub(super) enum Reach {
    /// The action is always rejected, or no row is ever found.
    Nothing,
    /// The action creates rows, or is a view.
    NoRows,
    /// The action can be applied to rows.
    Rows(RowScope),
}

impl DescribedAction {
    /// Use of the action by the caller with this key.
    pub(super) fn reach(&self, key: &DescriptionKey) -> Reach {
        if !key.passes(self.chain) {
            return Reach::Nothing;
        }
        let Some(table) = self.binding.table else {
            return Reach::NoRows;
        };
        if !self.finds_url(table, key) {
            return Reach::Nothing;
        }
        let rules = key.rules(table);
        let operation = match self.operation() {
            Some(operation) => operation,
            None if !self.binding.restores => return Reach::NoRows,
            None if rules.restored() == RowScope::None => return Reach::Nothing,
            None => return Reach::Rows(RowScope::Some),
        };
        // A policy may decide by the value of a parameter that limits no rows, and nobody knows that value here.
        let is_decided = self.is_loaded && self.binding.unscoped.is_empty();
        match operation {
            Operation::Create if self.binding.unscoped.is_empty() && !rules.may_create => Reach::Nothing,
            Operation::Create => Reach::NoRows,
            _ if !is_decided => Reach::Rows(RowScope::Some),
            operation => match rules.rows(operation) {
                RowScope::None => Reach::Nothing,
                RowScope::All if self.is_identified_by_private(table, key) => Reach::Rows(RowScope::Some),
                rows => Reach::Rows(rows),
            },
        }
    }

    /// Whether the caller may see the columns that the URL identifies rows by.
    fn finds_url(&self, table: &'static Table, key: &DescriptionKey) -> bool {
        let hidden = key.rules(table).hidden;
        let own = self.binding.key.map(|own| own.column);
        let mut own = own.into_iter().chain(self.bulk_column);
        let sees_own = own.all(|column| !hidden.contains(column));
        sees_own && finds_parents(&self.binding.parents, table, key)
    }

    fn is_identified_by_private(&self, table: &'static Table, key: &DescriptionKey) -> bool {
        let own = self.binding.key;
        own.is_some_and(|own| key.rules(table).private.contains(own.column))
    }
}

/// Whether the caller may see the foreign keys to the parents and some rows of them.
fn finds_parents(parents: &[Parent], table: &'static Table, key: &DescriptionKey) -> bool {
    parents.iter().all(|parent| {
        let rules = key.rules(parent.table);
        let is_hidden = key.rules(table).hidden.contains(parent.column)
            || parent.keys.iter().any(|own| rules.hidden.contains(own.column));
        !is_hidden
            && rules.rows(Operation::Get) != RowScope::None
            && finds_parents(&parent.parents, parent.table, key)
    })
}
