//! Two random schemas between which a migration can lead.

use std::collections::BTreeMap;

use model_resource_migrations::{MigrationAnswers, MigrationQuestion};

use super::kind::Kind;
use super::models::{RandomField, RandomModels};
use crate::random::kept;

/// Two schemas, and what the second keeps of the first.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) before: RandomModels,
    pub(super) after: RandomModels,
    pub(super) tables: Vec<KeptTable>,
}

/// A table of both schemas.
#[derive(Debug)]
pub(super) struct KeptTable {
    /// Number before.
    pub(super) old: usize,
    /// Number after.
    pub(super) new: usize,
    /// Numbers of its columns before and after.
    pub(super) columns: Vec<(usize, usize)>,
}

impl Pair {
    /// Creates a pair. It changes what no migration can do with rows: references to tables that are removed, conversions
    /// of unique values with a loss, one value for a new unique column.
    pub(super) fn new(mut before: RandomModels, mut after: RandomModels, is_renamed: bool) -> Self {
        let tables = kept(&before.tables, &after.tables, is_renamed)
            .into_iter()
            .map(|(old, new)| {
                let (own, declared) = (&before.tables[&old], &after.tables[&new]);
                let columns = kept(&own.columns, &declared.columns, is_renamed);
                KeptTable { old, new, columns }
            });
        let tables: Vec<_> = tables.collect();
        keep_keys(&before, &mut after, &tables);
        settle(&mut before);
        settle(&mut after);
        for table in &tables {
            for (from, to) in &table.columns {
                keep_column(
                    &mut before,
                    &mut after,
                    &tables,
                    (table.old, *from),
                    (table.new, *to),
                );
            }
            let is_kept = |number: &usize, side: fn(&(usize, usize)) -> usize| {
                table.columns.iter().any(|columns| side(columns) == *number)
            };
            for (number, field) in columns_of(&mut before, table.old) {
                relax(field, is_kept(number, |columns| columns.0));
            }
            for (number, field) in columns_of(&mut after, table.new) {
                relax(field, is_kept(number, |columns| columns.1));
            }
        }
        Self {
            before,
            after,
            tables,
        }
    }

    /// Answers the questions about renames and removals.
    pub(super) fn answers(&self) -> MigrationAnswers {
        let mut answers = MigrationAnswers::new();
        let rename = |answers: MigrationAnswers, table: Option<&str>, from: &str, to: &str| {
            answers
                .rename(&MigrationQuestion::rename_option(table, from, to))
                .unwrap()
        };
        for number in self.before.tables.keys() {
            if !self.tables.iter().any(|table| table.old == *number) {
                answers = answers.remove(table_name(*number));
            }
        }
        for table in &self.tables {
            let name = table_name(table.new);
            if table.old != table.new {
                answers = rename(answers, None, table_name(table.old), name);
            }
            for (from, to) in table.columns.iter().filter(|(from, to)| from != to) {
                answers = rename(answers, Some(name), &column_name(*from), &column_name(*to));
            }
            for number in self.before.tables[&table.old].columns.keys() {
                if !table.columns.iter().any(|(from, _)| from == number) {
                    answers = answers.remove(&format!("{name}.{}", column_name(*number)));
                }
            }
        }
        answers
    }
}

/// Returns the name of a table. One of them is in a schema.
pub(super) fn table_name(number: usize) -> &'static str {
    ["t0", "t1", "t2", "crm.t3"][number]
}

/// Returns the name of a column in the database.
pub(super) fn column_name(number: usize) -> String {
    format!("c{number}")
}

fn columns_of(models: &mut RandomModels, table: usize) -> &mut BTreeMap<usize, RandomField> {
    &mut models.tables.get_mut(&table).unwrap().columns
}

/// Gives a table its key again if the new one could not have its values.
fn keep_keys(before: &RandomModels, after: &mut RandomModels, tables: &[KeptTable]) {
    for table in tables {
        let old = before.tables[&table.old].key;
        let new = &mut after.tables.get_mut(&table.new).unwrap().key;
        if !old.can_become(*new) {
            *new = old;
        }
    }
}

/// Gives references the kind of their target, and removes those that lead nowhere.
fn settle(models: &mut RandomModels) {
    let keys: BTreeMap<_, _> = models
        .tables
        .iter()
        .map(|(number, table)| (*number, table.key))
        .collect();
    for (number, table) in &mut models.tables {
        for field in table.columns.values_mut() {
            field.target = field.target.filter(|target| keys.contains_key(target));
            if let Some(target) = field.target {
                set_kind(field, keys[&target].kind());
                field.index = field.index.filter(|index| index.is_partial);
                // Its rows reference nothing, since those of the other table are inserted later.
                field.is_nullable |= target > *number;
            }
            let kind = field.kind;
            set_kind(field, kind);
        }
    }
}

/// Sets the kind, and removes constraints that it cannot have.
fn set_kind(field: &mut RandomField, kind: Kind) {
    (field.kind, field.other) = (kind, kind);
    field.is_unique &= kind.may_be_unique();
    if kind == Kind::Json {
        field.index = None;
        field.is_unique_with_key = false;
    }
}

/// Makes a column able to keep its values.
fn keep_column(
    before: &mut RandomModels,
    after: &mut RandomModels,
    tables: &[KeptTable],
    (old_table, old): (usize, usize),
    (new_table, new): (usize, usize),
) {
    let keys: BTreeMap<_, _> = before
        .tables
        .iter()
        .map(|(number, table)| (*number, table.key))
        .collect();
    let own = columns_of(before, old_table).get_mut(&old).unwrap();
    let declared = columns_of(after, new_table).get_mut(&new).unwrap();
    let is_kept = |target: &usize| tables.iter().any(|table| table.old == *target);
    own.target = own
        .target
        .filter(|target| *target <= old_table && is_kept(target));
    declared.target = declared.target.filter(|target| {
        let table = tables.iter().find(|table| table.new == *target);
        let (Some(table), Some(own)) = (table, own.target) else {
            return false;
        };
        keys[&own].can_become(keys[&table.old])
    });
    let is_reference = own.target.is_some() || declared.target.is_some();
    let is_exact = is_reference || own.is_unique || declared.is_unique;
    let both = (own.kind, declared.kind);
    let is_number = |kind| matches!(kind, Kind::I32 | Kind::I64);
    let keeps_reference = !is_reference || both.0 == both.1 || is_number(both.0) && is_number(both.1);
    let is_unique = own.is_unique || declared.is_unique;
    let is_distinct = both.0.may_be_unique() && both.1.may_be_unique();
    let keeps_values = !is_exact || both.0.is_kept_as(both.1) && (is_distinct || !is_unique);
    if !(both.0.can_become(both.1) && keeps_reference && keeps_values) {
        set_kind(declared, own.kind);
    }
    (own.other, declared.other) = (declared.kind, own.kind);
    if own.target.is_some() && (is_unique || declared.target.is_none()) {
        // Rows without a value would all get the same one, or one that references nothing when the key returns.
        declared.is_nullable = own.is_nullable;
    }
}

/// Lets a column of a kept table be null where its rows could not get a value, when it is added or returns.
fn relax(field: &mut RandomField, is_kept: bool) {
    if is_kept {
        return;
    }
    field.is_nullable |= field.is_unique || field.target.is_some();
    // The empty value of a required column that returns is no label.
    field.has_check &= field.is_nullable || !matches!(field.kind, Kind::Choice | Kind::Enum);
}
