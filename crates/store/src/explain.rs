//! How a list is read, and what it lacks an index for.

use model_resource_schema::column::Column;
use model_resource_schema::query::{AnyWhere, Comparison, FieldPath, Predicate};

use crate::list_query::ListQuery;

/// How a database reads a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryPlan {
    /// The statement, or several that run one after the other until there are enough rows; values are bound and not in it.
    pub sql: String,
    /// What the database does, line by line, in its own words.
    pub plan: Vec<String>,
    /// What has no index, and so costs more the more rows there are.
    pub unindexed: Vec<String>,
}

/// Says what a list lacks an index for: filters, if none of them can use one, and the order. An index is known by the column
/// that it begins with.
pub(crate) fn unindexed(list: &ListQuery, indexes: &[String]) -> Vec<String> {
    let leads = |column: &Column| indexes.iter().any(|first| first == column.database_name);
    let mut lacking = Vec::new();
    let (table, select) = (list.table(), list.select());
    let mut scope = select.conditions().iter();
    let is_scoped = scope.any(|(column, _)| leads(&table.columns[*column]));
    if !is_scoped && !begins(select.condition(), &leads) {
        let mut names = Vec::new();
        add_names(select.condition(), &mut names);
        lacking.push(format!(
            "the filters have no index on table {} to begin with: {}",
            table.name,
            names.join(", ")
        ));
    }
    let first = &list.keys()[0].path;
    if !first.is_own_column() || !leads(first.column()) {
        lacking.push(format!(
            "the order has no index on table {} that begins with {}",
            table.name,
            name(first)
        ));
    }
    lacking
}

/// Whether an index can tell which rows to look at, or all are wanted. One of a related table cannot: it is looked into for
/// each row.
fn begins(condition: &AnyWhere, leads: &impl Fn(&Column) -> bool) -> bool {
    match condition {
        AnyWhere::And(all) => {
            let mut few = all
                .iter()
                .filter(|one| !matches!(one, AnyWhere::Likely(_)))
                .peekable();
            few.peek().is_none() || few.any(|one| begins(one, leads))
        }
        AnyWhere::Likely(_) => true,
        AnyWhere::Or(any) => any.iter().all(|one| begins(one, leads)),
        AnyWhere::Not(_) => false,
        AnyWhere::Compare(path, test) => {
            let is_range = match test {
                Predicate::Is(comparison, _) => *comparison != Comparison::Ne,
                Predicate::OneOf(_) | Predicate::Between(..) | Predicate::Null(true) => true,
                Predicate::NoneOf(_) | Predicate::Like(_) | Predicate::Null(false) => false,
            };
            is_range && path.is_own_column() && leads(path.column())
        }
    }
}

/// Names each field that a condition is about.
fn add_names(condition: &AnyWhere, names: &mut Vec<String>) {
    match condition {
        AnyWhere::And(all) | AnyWhere::Or(all) => all.iter().for_each(|one| add_names(one, names)),
        AnyWhere::Not(one) => add_names(one, names),
        // What holds of most rows asks for no index.
        AnyWhere::Likely(_) => {}
        AnyWhere::Compare(path, _) => {
            let name = name(path);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
}

/// The column of a path, behind the tables that it leads through.
fn name(path: &FieldPath) -> String {
    let tables = path.steps().iter().map(|hop| hop.table.name);
    tables
        .chain([path.column().database_name])
        .collect::<Vec<_>>()
        .join(".")
}
