//! Conditions on a referenced row that few rows match.
//!
//! SQLite evaluates an EXISTS for each row of the outer table. If an index finds the few referenced rows that match, it is
//! faster to find these first, and then the rows that reference them by the index of the foreign key. PostgreSQL plans
//! both forms alike.

use model_resource_schema::column::Table;
use model_resource_schema::query::{AnyWhere, Comparison, FieldPath, Predicate, RelationStep};

/// Returns the step of a path that follows one foreign key to rows of which an index finds the few that match.
pub(crate) fn step_to_few<'p>(
    table: &Table,
    path: &'p FieldPath,
    test: &Predicate,
) -> Option<&'p RelationStep> {
    let [step] = path.steps() else {
        return None;
    };
    let is_reference = step.to == step.table.primary_key && table.columns[step.from].references.is_some();
    let visible = step.visible.as_deref();
    let are_few = visible.is_some_and(|visible| matches_few(step.table, visible))
        || (path.keys().is_empty() && equals(step.table, path.position(), test));
    (is_reference && are_few).then_some(step)
}

fn matches_few(table: &Table, condition: &AnyWhere) -> bool {
    match condition {
        AnyWhere::And(conditions) => conditions.iter().any(|condition| matches_few(table, condition)),
        AnyWhere::Or(conditions) => {
            !conditions.is_empty() && conditions.iter().all(|condition| matches_few(table, condition))
        }
        AnyWhere::Not(_) | AnyWhere::Likely(_) => false,
        AnyWhere::Compare(path, test) if path.is_own_column() => equals(table, path.position(), test),
        AnyWhere::Compare(path, test) => step_to_few(table, path, test).is_some(),
    }
}

/// Whether a test is an equality of a column with an index.
fn equals(table: &Table, position: usize, test: &Predicate) -> bool {
    let column = &table.columns[position];
    let begins_index = || {
        let mut indexes = table.indexes.iter().filter(|index| index.condition.is_none());
        indexes.any(|index| {
            index
                .columns
                .first()
                .is_some_and(|first| first.position == position)
        })
    };
    matches!(test, Predicate::Is(Comparison::Eq, _))
        && (position == table.primary_key || column.unique || column.references.is_some() || begins_index())
}
