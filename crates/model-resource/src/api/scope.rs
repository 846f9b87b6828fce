//! Foreign key chains by which a parameter before the end of a URL limits the rows of a model.

use model_resource_schema::column::Table;
use model_resource_schema::naming;

use crate::routing::{KeyColumn, model_column};

/// Chain of foreign keys from the rows of a model to the row that a parameter identifies.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    /// Foreign key columns, each in the table that the previous one references.
    pub(super) path: Vec<usize>,
    /// Table that the last one references.
    pub(super) table: &'static Table,
    /// Column of that table that the parameter matches.
    pub(super) column: usize,
}

impl Scope {
    /// Whether both lead to the same row.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.path == other.path && self.column == other.column
    }

    /// Chain in the syntax of a declaration: `article_id.author_id`.
    fn text(&self, mut table: &'static Table) -> String {
        let mut names = Vec::new();
        for column in &self.path {
            names.push(table.columns[*column].name);
            table = referenced(table, *column).unwrap_or(table);
        }
        if self.column != self.table.primary_key {
            names.push(self.table.columns[self.column].name);
        }
        names.join(".")
    }
}

/// Parses the chain that is declared for a parameter, such as `article_id.author_id` or `category_id.slug`.
pub(super) fn declared(model: &'static Table, path: &str) -> Result<Scope, String> {
    let names: Vec<&str> = path.split('.').collect();
    let mut scope = Scope {
        path: Vec::new(),
        table: model,
        column: model.primary_key,
    };
    for (step, name) in names.iter().enumerate() {
        let table = scope.table;
        let Some(column) = table.position(name) else {
            let columns = table.columns.iter().map(|column| column.name);
            let meant = naming::nearest(name, columns);
            let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            return Err(format!("{} has no column `{name}`{meant}", table.model));
        };
        let is_last = step + 1 == names.len();
        let is_key = column == table.primary_key || table.columns[column].unique;
        match referenced(table, column) {
            Some(other) => {
                scope.path.push(column);
                (scope.table, scope.column) = (other, other.primary_key);
            }
            None if is_last && is_key && step > 0 => scope.column = column,
            None => {
                return Err(format!(
                    "`{name}` of {} is no foreign key: a scope is a chain of foreign keys, which may end with a unique column of \
                     the last table",
                    table.model
                ));
            }
        }
    }
    Ok(scope)
}

/// Finds the chains from the model to a row by the parameter's name: over a foreign key of the model, or over one of
/// the table that the parameter to its right identifies.
pub(super) fn found(model: &'static Table, right: Option<&Scope>, parameter: &str) -> Vec<Scope> {
    let mut ways = steps(model, &[], parameter);
    if let Some(right) = right {
        ways.extend(steps(right.table, &right.path, parameter));
    }
    ways
}

/// Finds the chains over one foreign key of a table: the one of the parameter's name, or else all that reference the
/// model in its name.
fn steps(table: &'static Table, before: &[usize], parameter: &str) -> Vec<Scope> {
    let way = |column: usize, other: &'static Table, key: usize| Scope {
        path: before.iter().copied().chain([column]).collect(),
        table: other,
        column: key,
    };
    let named = table.position(parameter);
    if let Some((column, other)) = named.and_then(|column| Some((column, referenced(table, column)?))) {
        return vec![way(column, other, other.primary_key)];
    }
    let to_model = |column: usize| {
        let other = referenced(table, column)?;
        match model_column(other, parameter) {
            KeyColumn::Found(key) => Some(way(column, other, key)),
            KeyColumn::NotUnique | KeyColumn::Unknown => None,
        }
    };
    (0..table.columns.len()).filter_map(to_model).collect()
}

/// Table that a foreign key references; `None` for other columns.
pub(super) fn referenced(table: &'static Table, column: usize) -> Option<&'static Table> {
    let references = table.columns[column].references?;
    Some((references.table)())
}

/// The mistake of a parameter without a matching foreign key.
pub(super) fn unknown(model: &'static Table, right: Option<&Scope>, parameter: &str) -> String {
    format!(
        "the parameter `{parameter}` would not limit the rows of {}: {}, declare its way in the attribute by \
         `scope({parameter} = \"..\")`, or declare `unscoped(\"{parameter}\")` if it limits nothing; what is no list is served \
         by a view with #[route]",
        model.model,
        name_for(model, right, parameter)
    )
}

/// Advice on naming a parameter: after a foreign key, or after a model and a column that identifies its rows.
fn name_for(model: &'static Table, right: Option<&Scope>, parameter: &str) -> String {
    let keys = model.columns.iter().filter(|column| column.references.is_some());
    let keys: Vec<&str> = keys.map(|column| column.name).collect();
    let key = format!("{parameter}_id");
    if keys.contains(&key.as_str()) {
        return format!("name it after a foreign key (did you mean `{key}`?)");
    }
    let named = names_with_model(model, right, parameter);
    if !named.is_empty() {
        return named.join(" or ");
    }
    match naming::nearest(parameter, keys) {
        Some(meant) => format!("name it after a foreign key (did you mean `{meant}`?)"),
        None => "name it after a foreign key".to_owned(),
    }
}

/// Names for a parameter that is named only after a column of a parent: `<pet_slug>` for `<slug>`.
fn names_with_model(model: &'static Table, right: Option<&Scope>, parameter: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for table in std::iter::once(model).chain(right.map(|right| right.table)) {
        for parent in (0..table.columns.len()).filter_map(|column| referenced(table, column)) {
            let name = format!("{}_{parameter}", naming::snake_case(parent.model));
            if let KeyColumn::Found(column) = model_column(parent, &name) {
                let column = parent.columns[column].name;
                let advice = format!("name it `<{name}>`, after the `{column}` of {}", parent.model);
                if !names.contains(&advice) {
                    names.push(advice);
                }
            }
        }
    }
    names
}

/// The mistake of a parameter with more than one chain.
pub(super) fn ambiguous(model: &'static Table, parameter: &str, ways: &[Scope]) -> String {
    let ways = ways.iter().map(|way| declaration(model, parameter, way));
    let ways: Vec<String> = ways.collect();
    format!(
        "the parameter `{parameter}` can limit the rows of {} in several ways: declare in the attribute {}",
        model.model,
        ways.join(" or ")
    )
}

/// The mistake of a prefix that declares a parameter unscoped although the model has a foreign key for it.
pub(super) fn contradicted(model: &'static Table, parameter: &str, way: &Scope) -> String {
    format!(
        "the parameter `{parameter}` is declared unscoped with its prefix, and {} has a foreign key for it: declare in the \
         attribute {} or `unscoped(\"{parameter}\")`",
        model.model,
        declaration(model, parameter, way)
    )
}

fn declaration(model: &'static Table, parameter: &str, way: &Scope) -> String {
    format!("`scope({parameter} = \"{}\")`", way.text(model))
}
