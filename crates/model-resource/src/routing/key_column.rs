//! Column that a URL parameter is named after.

use model_resource_schema::column::Table;
use model_resource_schema::naming;

/// Result of looking up the column that a parameter is named after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyColumn {
    /// The primary key or a unique column.
    Found(usize),
    /// A column that does not identify a row.
    NotUnique,
    /// No column.
    Unknown,
}

/// Finds the column by which a parameter identifies a row: `slug`, or `article_slug` for the `slug` of `Article`. `id`
/// is the primary key, whatever its name.
pub(crate) fn key_column(table: &'static Table, parameter: &str) -> KeyColumn {
    match column_named(table, parameter) {
        KeyColumn::Unknown => model_column(table, parameter),
        found => found,
    }
}

/// Key column of a parameter that names the model too: `article_slug`.
pub(crate) fn model_column(table: &'static Table, parameter: &str) -> KeyColumn {
    let model = naming::snake_case(table.model);
    let column = parameter.strip_prefix(model.as_str());
    match column.and_then(|rest| rest.strip_prefix('_')) {
        Some(column) => column_named(table, column),
        None => KeyColumn::Unknown,
    }
}

fn column_named(table: &'static Table, name: &str) -> KeyColumn {
    match table.position(name) {
        Some(column) if column == table.primary_key || table.columns[column].unique => {
            KeyColumn::Found(column)
        }
        Some(_) => KeyColumn::NotUnique,
        None if name == "id" => KeyColumn::Found(table.primary_key),
        None => KeyColumn::Unknown,
    }
}

/// The mistake of naming a parameter after a column that is not unique.
pub(crate) fn not_unique(table: &'static Table, parameter: &str) -> String {
    format!(
        "the parameter `{parameter}` is named after a column of {} that is not unique, so it identifies no row: mark the column \
         #[column(unique)], or name the parameter after {}",
        table.model,
        key_columns(table)
    )
}

/// Names of the columns that identify a row, for messages.
pub(crate) fn key_columns(table: &'static Table) -> String {
    let others = table.columns.iter().enumerate();
    let others = others.filter(|(position, column)| column.unique && *position != table.primary_key);
    let names = std::iter::once(table.key().name).chain(others.map(|(_, column)| column.name));
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model_resource_schema::column::{Column, ColumnRole, KeyGeneration};
    use model_resource_schema::data_type::DataType;

    static PAGES: Table = Table::new(
        "pages",
        "WebPage",
        &[
            Column::new("title", DataType::Text),
            Column::new("number", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
            Column::new("slug", DataType::Text).unique(),
        ],
    );

    #[test]
    fn a_parameter_is_named_after_a_column_or_a_model_and_a_column() {
        for (parameter, column) in [
            ("number", KeyColumn::Found(1)),
            ("id", KeyColumn::Found(1)),
            ("slug", KeyColumn::Found(2)),
            ("web_page_slug", KeyColumn::Found(2)),
            ("web_page_id", KeyColumn::Found(1)),
            ("title", KeyColumn::NotUnique),
            ("web_page_title", KeyColumn::NotUnique),
            ("web_page", KeyColumn::Unknown),
            ("page_slug", KeyColumn::Unknown),
        ] {
            assert_eq!(key_column(&PAGES, parameter), column, "{parameter}");
        }
        assert_eq!(model_column(&PAGES, "slug"), KeyColumn::Unknown);
        assert_eq!(key_columns(&PAGES), "`number` or `slug`");
    }
}
