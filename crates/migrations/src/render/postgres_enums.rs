//! Enum types in PostgreSQL's SQL.

use super::postgres_columns::{alter, literal, without_conditions};
use crate::state::{ColumnState, SchemaState};
use crate::step::{MigrationStep, TableChange};
use crate::token::quoted_name;

/// Returns the statement that creates a type.
pub(super) fn create(name: &str, labels: &[String]) -> String {
    let labels: Vec<_> = labels.iter().map(|label| literal(label)).collect();
    format!(
        "CREATE TYPE {} AS ENUM ({});\n",
        quoted_name(name),
        labels.join(", ")
    )
}

/// Moves the enum types that only gain labels before the columns that may take them, as on the way back of a column that
/// became a text while its type lost a label.
pub(super) fn with_labels_first(steps: &[MigrationStep]) -> Vec<MigrationStep> {
    let takes_labels = |step: &MigrationStep| {
        let MigrationStep::AlterTable { change, .. } = step else {
            return false;
        };
        matches!(
            change,
            TableChange::AddColumn(_) | TableChange::ChangeColumn { .. }
        )
    };
    let is_gain = |step: &MigrationStep| matches!(step, MigrationStep::ChangeEnum { from, to, .. } if from.iter().all(|label| to.contains(label)));
    let first = steps.iter().position(takes_labels).unwrap_or(steps.len());
    let (before, after) = steps.split_at(first);
    let (gains, others): (Vec<_>, Vec<_>) = after.iter().cloned().partition(is_gain);
    [before.to_vec(), gains, others].concat()
}

/// Returns the statements that change the labels of a type, and those that follow at the end of the migration.
///
/// Labels are added at the end of the type. Other changes need a new type, and so do labels that another statement of the
/// same transaction uses, which the server refuses.
pub(super) fn change(
    state: &SchemaState,
    steps: &[MigrationStep],
    name: &str,
    (from, to): (&[String], &[String]),
) -> (String, String) {
    let own = quoted_name(name);
    let is_used = |label: &String| steps.iter().any(|step| mentions(step, &literal(label)));
    let is_converted_to = steps.iter().any(|step| converts_to(step, &own));
    let added = to.strip_prefix(from).filter(|_| !is_converted_to);
    if let Some(added) = added.filter(|added| !added.iter().any(is_used)) {
        let added = added
            .iter()
            .map(|label| format!("ALTER TYPE {own} ADD VALUE {};\n", literal(label)));
        return (added.collect(), String::new());
    }
    let old = quoted_name(&format!("{name}__old"));
    let (mut users, mut dropped_now, mut dropped_last) =
        (Vec::new(), format!("DROP TYPE {old};\n"), String::new());
    for table in state.tables.values() {
        for column in table.columns.iter().filter(|column| column.data_type == own) {
            if steps.iter().any(|step| leaves(step, &table.name, column)) {
                dropped_last.push_str(&std::mem::take(&mut dropped_now));
            } else {
                users.push((table.name.clone(), quoted_name(&column.name)));
            }
        }
    }
    let changes = users.iter().map(|(table, column)| {
        let using = format!("{column}::text::{own}");
        alter(table, &format!("ALTER COLUMN {column} TYPE {own} USING {using}"))
    });
    let changed = without_conditions(state, &users, &changes.collect::<String>());
    let renamed = format!("ALTER TYPE {own} RENAME TO {old};\n");
    (
        renamed + &create(name, to) + &changed + &dropped_now,
        dropped_last,
    )
}

/// Whether a step removes a column or changes its type, so that its values need no place in a new enum type.
fn leaves(step: &MigrationStep, table: &str, column: &ColumnState) -> bool {
    match step {
        MigrationStep::DropTable(dropped) => dropped.name == table,
        MigrationStep::AlterTable { table: own, change } if own == table => match change {
            TableChange::DropColumn(dropped) => dropped.name == column.name,
            TableChange::ChangeColumn { from, to, .. } => {
                from.name == column.name
                    && from.data_type == column.data_type
                    && from.data_type != to.data_type
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether a step converts values to a type.
fn converts_to(step: &MigrationStep, data_type: &str) -> bool {
    let MigrationStep::AlterTable { change, .. } = step else {
        return false;
    };
    matches!(change, TableChange::ChangeColumn { from, to, .. }
        if to.data_type == data_type && from.data_type != data_type)
}

/// Whether a condition or an expression of a step has a literal.
fn mentions(step: &MigrationStep, literal: &str) -> bool {
    let has = |text: &String| text.contains(literal);
    let has_any = |texts: [&Option<String>; 2]| texts.into_iter().flatten().any(has);
    match step {
        MigrationStep::CreateTable(table) => table.checks.values().any(has),
        MigrationStep::CreateIndex { index, .. } => index.condition.as_ref().is_some_and(has),
        MigrationStep::AlterTable { change, .. } => match change {
            TableChange::AddColumn(column) => column.default.as_ref().is_some_and(has),
            TableChange::ChangeColumn { fill, conversion, .. } => has_any([fill, conversion]),
            TableChange::AddCheck { condition, .. } => has(condition),
            _ => false,
        },
        _ => false,
    }
}
