//! Tables of random models, which live until the end of the test.

use std::sync::LazyLock;

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, OnDelete, Table};
use model_resource_schema::table_constraints::{CheckConstraint, IndexColumn, TableIndex, UniqueConstraint};

use super::conditions::condition_of;
use super::kind::{ENUM_TYPE, Kind, LABELS};
use super::models::{RandomField, RandomKey, RandomModel, RandomModels};
use super::pair::{column_name, table_name};

/// Number of the row whose optional columns are null.
pub(super) const LAST_ROW: u32 = 3;

/// Number of the row that rows without a reference get.
const FILLED_KEY: u32 = 1;

/// Number of the value that rows without one get.
const FILL: u32 = 9;

const KEYS: [RandomKey; 5] = [
    RandomKey::Assigned,
    RandomKey::I32,
    RandomKey::I64,
    RandomKey::Text,
    RandomKey::Uuid,
];

/// Returns the tables of models, in the order of their numbers.
pub(super) fn tables_of(models: &RandomModels) -> Vec<&'static Table> {
    let tables = models
        .tables
        .iter()
        .map(|(number, model)| table_of(models, *number, model));
    tables.collect()
}

/// Returns a table of a model with these columns of it, which is only read.
pub(super) fn part_of(models: &RandomModels, number: usize, columns: &[usize]) -> &'static Table {
    let model = &models.tables[&number];
    let columns = columns
        .iter()
        .map(|column| column_of(models, *column, &model.columns[column]));
    let columns: Vec<_> = std::iter::once(key_of(model.key)).chain(columns).collect();
    Box::leak(Box::new(Table::new(table_name(number), "Part", columns.leak())))
}

/// Returns the wire form of a column's value in a row, from 1 to 3; `None` for null.
pub(super) fn wire_of(models: &RandomModels, table: usize, field: &RandomField, row: u32) -> Option<String> {
    match field.target {
        Some(target) if target > table => None,
        _ if field.is_nullable && row == LAST_ROW => None,
        Some(target) => Some(key_wire(models.tables[&target].key, row)),
        None => Some(field.kind.wire(field.offset + row, field.other)),
    }
}

/// Returns the wire form of a key.
pub(super) fn key_wire(key: RandomKey, row: u32) -> String {
    key.kind().wire(row, key.kind())
}

/// Returns the wire form of the value that rows without one get.
pub(super) fn fill_of(models: &RandomModels, field: &RandomField) -> String {
    match field.target {
        Some(target) => key_wire(models.tables[&target].key, FILLED_KEY),
        None => field.kind.wire(FILL, field.other),
    }
}

fn table_of(models: &RandomModels, number: usize, model: &RandomModel) -> &'static Table {
    let columns = model
        .columns
        .iter()
        .map(|(column, field)| column_of(models, *column, field));
    let columns: Vec<_> = std::iter::once(key_of(model.key)).chain(columns).collect();
    let (mut uniques, mut indexes, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    for (position, (column, field)) in (1..).zip(&model.columns) {
        let condition = condition_of(position, field.kind, models.labels);
        if field.is_unique_with_key {
            uniques.push(UniqueConstraint::new(vec![0, position].leak()));
        }
        if let Some(index) = field.index {
            let column = IndexColumn {
                position,
                descending: index.is_descending,
            };
            let created = TableIndex::new(vec![column].leak());
            indexes.push(if index.is_partial {
                created.filter(condition)
            } else {
                created
            });
        }
        if field.has_check {
            checks.push(CheckConstraint::new(format!("check{column}").leak(), condition));
        }
    }
    let table = Table::new(
        table_name(number),
        format!("Model{number}").leak(),
        columns.leak(),
    );
    let table = table
        .uniques(uniques.leak())
        .indexes(indexes.leak())
        .checks(checks.leak());
    Box::leak(Box::new(table))
}

fn key_of(key: RandomKey) -> Column {
    let generation = match key {
        RandomKey::Assigned => KeyGeneration::AutoIncrement,
        RandomKey::Uuid => KeyGeneration::UuidV7,
        RandomKey::I32 | RandomKey::I64 | RandomKey::Text => KeyGeneration::Client,
    };
    Column::new("id", key.kind().data_type(&[])).role(ColumnRole::PrimaryKey(generation))
}

fn column_of(models: &RandomModels, number: usize, field: &RandomField) -> Column {
    let name: &'static str = format!("field{number}").leak();
    let column = Column::new(name, field.kind.data_type(LABELS[models.labels]))
        .database_name(column_name(number).leak())
        .nullable(field.is_nullable)
        .postgres_type((field.kind == Kind::Enum).then_some(ENUM_TYPE));
    let column = if field.is_unique { column.unique() } else { column };
    let column = if field.has_default {
        column.default(fill_of(models, field).leak())
    } else {
        column
    };
    let on_delete = if field.is_nullable {
        OnDelete::SetNull
    } else {
        OnDelete::Cascade
    };
    match field.target {
        Some(target) => column.references(target_of(target, models.tables[&target].key), on_delete),
        None => column,
    }
}

/// Referenced tables, of which only the name and the key matter.
static TARGETS: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let table = |number, key| Table::new(table_name(number), "Target", vec![key_of(key)].leak());
    (0..4)
        .flat_map(|number| KEYS.map(|key| table(number, key)))
        .collect()
});

fn target<const NUMBER: usize>() -> &'static Table {
    &TARGETS[NUMBER]
}

macro_rules! targets {
    ($($number:literal)+) => { [$(target::<$number> as fn() -> &'static Table),+] };
}

/// Returns the function by which a column references a table.
fn target_of(table: usize, key: RandomKey) -> fn() -> &'static Table {
    let key = KEYS.iter().position(|own| *own == key).unwrap();
    targets!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)[table * KEYS.len() + key]
}
