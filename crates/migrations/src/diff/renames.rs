//! Renames, which are answered and never guessed.

use crate::answers::{MigrationAnswers, MigrationQuestion};
use crate::state::{SchemaState, TableState};
use crate::step::MigrationStep;

/// Returns the renames of tables and columns, and applies them to `before`.
pub(super) fn rename(
    before: &mut SchemaState,
    after: &SchemaState,
    answers: &MigrationAnswers,
) -> Result<Vec<MigrationStep>, MigrationQuestion> {
    let mut steps = rename_tables(before, after, answers)?;
    before.apply(&steps);
    let columns = rename_columns(before, after, answers)?;
    before.apply(&columns);
    steps.extend(columns);
    Ok(steps)
}

fn rename_tables(
    before: &SchemaState,
    after: &SchemaState,
    answers: &MigrationAnswers,
) -> Result<Vec<MigrationStep>, MigrationQuestion> {
    let old: Vec<_> = before.tables.keys().collect();
    let new: Vec<_> = after.tables.keys().collect();
    let answered: Vec<_> = answers.tables.iter().collect();
    let is_decided = |name: &str| answers.removes(name) || answers.keeps(name);
    let renames = pairs(None, &old, &new, &answered, is_decided)?;
    let step = |(from, to)| MigrationStep::RenameTable { from, to };
    Ok(renames.into_iter().map(step).collect())
}

fn rename_columns(
    before: &SchemaState,
    after: &SchemaState,
    answers: &MigrationAnswers,
) -> Result<Vec<MigrationStep>, MigrationQuestion> {
    if let Some(((table, from), to)) = answers
        .columns
        .iter()
        .find(|((table, _), _)| !before.tables.contains_key(table) || !after.tables.contains_key(table))
    {
        return Err(MigrationQuestion::UnknownRename {
            from: format!("{table}.{from}"),
            to: to.clone(),
        });
    }
    let mut steps = Vec::new();
    for (name, table) in &after.tables {
        let Some(own) = before.tables.get(name) else {
            continue;
        };
        let of_table = answers.columns.iter().filter(|((table, _), _)| table == name);
        let answered: Vec<_> = of_table.map(|((_, from), to)| (from, to)).collect();
        let is_decided = |column: &str| {
            let full = format!("{name}.{column}");
            answers.removes(&full) || answers.keeps(&full)
        };
        for (from, to) in pairs(Some(name), &names(own), &names(table), &answered, is_decided)? {
            steps.push(MigrationStep::RenameColumn {
                table: name.clone(),
                from,
                to,
            });
        }
    }
    Ok(steps)
}

fn names(table: &TableState) -> Vec<&String> {
    table.columns.iter().map(|column| &column.name).collect()
}

/// Returns the old and new names of what is renamed. Asks if a name disappears that no answer decides on, while another
/// one is new.
fn pairs(
    table: Option<&String>,
    old: &[&String],
    new: &[&String],
    answered: &[(&String, &String)],
    is_decided: impl Fn(&str) -> bool,
) -> Result<Vec<(String, String)>, MigrationQuestion> {
    let mut renames = Vec::new();
    for (from, to) in answered {
        let exists = old.contains(from) && new.contains(to) && !new.contains(from) && !old.contains(to);
        if !exists {
            let (from, to) = ((*from).clone(), (*to).clone());
            return Err(MigrationQuestion::UnknownRename { from, to });
        }
        renames.push(((*from).clone(), (*to).clone()));
    }
    let is_renamed = |name: &String| renames.iter().any(|(from, to)| from == name || to == name);
    let owned =
        |names: Vec<&&String>| -> Vec<String> { names.into_iter().map(|name| (*name).clone()).collect() };
    let removed = old
        .iter()
        .filter(|name| !new.contains(name) && !is_renamed(name) && !is_decided(name));
    let added = new.iter().filter(|name| !old.contains(name) && !is_renamed(name));
    let (removed, added) = (owned(removed.collect()), owned(added.collect()));
    if removed.is_empty() || added.is_empty() {
        return Ok(renames);
    }
    Err(MigrationQuestion::Renamed {
        table: table.cloned(),
        removed,
        added,
    })
}
