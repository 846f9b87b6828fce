//! Startup checks of the constraints and indexes that models declare.

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;

use crate::sql::ddl::{foreign_key_index_name, has_foreign_key_index};
use crate::sql::table_index::{MAX_NAME, check_sql, index_name, index_sql, unique_name, unique_sql};
use crate::sql::table_syntax::TableSyntax;

/// Returns the mistakes in the constraints and indexes of a table, each with its remedy.
pub(crate) fn mistakes<S: TableSyntax>(table: &'static Table) -> Vec<String> {
    let mut mistakes = conditions::<S>(table);
    mistakes.extend(columns(table));
    mistakes.extend(names(table));
    mistakes
}

/// Conditions that a constraint or an index cannot have.
fn conditions<S: TableSyntax>(table: &'static Table) -> Vec<String> {
    let uniques = table.uniques.iter().map(|unique| {
        let name = unique_name(table, unique);
        unique_sql::<S>(table, unique).err().map(|reason| (name, reason))
    });
    let indexes = table.indexes.iter().map(|index| {
        let name = index_name(table, index);
        index_sql::<S>(table, index).err().map(|reason| (name, reason))
    });
    let checks = table.checks.iter().map(|check| {
        let name = check.name.to_owned();
        check_sql::<S>(table, check).err().map(|reason| (name, reason))
    });
    let mistakes = uniques.chain(indexes).chain(checks).flatten();
    let describe = |(name, reason)| {
        format!(
            "the condition of `{name}` {reason}: compare columns of the row itself with values or with each other, or \
             check it in the serializer"
        )
    };
    mistakes.map(describe).collect()
}

/// Columns that no index can have.
fn columns(table: &'static Table) -> Vec<String> {
    let of_uniques = table
        .uniques
        .iter()
        .flat_map(|unique| unique.columns.iter().copied());
    let of_indexes = table.indexes.iter().flat_map(|index| index.columns);
    let columns = of_uniques.chain(of_indexes.map(|column| column.position));
    let documents = columns.filter(|column| table.columns[*column].data_type == DataType::Json);
    let describe = |column: usize| {
        let name = table.columns[column].name;
        format!("`{name}` holds JSON, which has no order: take it out of the index")
    };
    documents.map(describe).collect()
}

/// Names that are too long or given twice.
fn names(table: &'static Table) -> Vec<String> {
    let foreign_keys = table
        .columns
        .iter()
        .filter(|column| has_foreign_key_index(column));
    let foreign_keys = foreign_keys.map(|column| foreign_key_index_name(table, column));
    let uniques = table.uniques.iter().map(|unique| unique_name(table, unique));
    let indexes = uniques.chain(table.indexes.iter().map(|index| index_name(table, index)));
    let checks = table.checks.iter().map(|check| check.name.to_owned());
    let mut mistakes = repeated(foreign_keys.chain(indexes.clone()));
    mistakes.extend(repeated(checks.clone()));
    let too_long = indexes.chain(checks).filter(|name| name.len() > MAX_NAME);
    mistakes.extend(too_long.map(|name| {
        format!("the name `{name}` has more than {MAX_NAME} bytes: give a shorter one by `name = \"..\"`")
    }));
    mistakes
}

fn repeated(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    let mut mistakes = Vec::new();
    for name in names {
        if seen.contains(&name) {
            mistakes.push(format!(
                "two indexes or checks have the name `{name}`: give one of them another by `name = \"..\"`"
            ));
        }
        seen.push(name);
    }
    mistakes
}
