//! Query plans, and the indexes that a list lacks.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::query::{AnyWhere, Comparison, FieldPath, Predicate};

use crate::list_query::ListQuery;
use crate::sql::few_rows::step_to_few;
use crate::statistics::IndexedColumn;

/// Query plan of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryPlan {
    /// Executed SQL with placeholders for values. Several statements run one after the other until enough rows are
    /// found.
    pub sql: String,
    /// Lines of the plan, as the database prints it.
    pub plan: Vec<String>,
    /// Filters and sort keys without an index, whose cost grows with the table.
    pub unindexed: Vec<String>,
}

/// Describes the missing indexes of a list: for the filters, if none of them can use an index, and for the order.
/// Only the first column of an index counts.
pub(crate) fn unindexed(list: &ListQuery, indexes: &[IndexedColumn]) -> Vec<String> {
    let leads = |column: &Column, test: &Predicate| {
        let mut own = indexes.iter().filter(|first| first.name == column.database_name);
        own.any(|first| first.index().finds(test))
    };
    let mut lacking = Vec::new();
    let (table, select) = (list.table(), list.select());
    let mut scope = select.conditions().iter();
    let is_scoped = scope.any(|(column, _)| {
        let column = table.columns[*column].database_name;
        indexes.iter().any(|first| first.name == column)
    });
    if !is_scoped && !begins(table, select.condition(), &leads) {
        let mut names = Vec::new();
        add_names(select.condition(), &mut names);
        lacking.push(format!(
            "the filters have no index on table {} to begin with: {}",
            table.name,
            names.join(", ")
        ));
    }
    let first = &list.keys()[0].path;
    let is_order = |index: &IndexedColumn| index.is_ordered && index.name == first.column().database_name;
    if !first.is_own_column() || !indexes.iter().any(is_order) {
        lacking.push(format!(
            "the order has no index on table {} that begins with {}",
            table.name,
            name(first)
        ));
    }
    lacking
}

/// Whether an index narrows down the rows, or no filter is set. An index of a related table counts only if it finds few
/// rows, and the foreign key to them has an index: otherwise it is searched once per row.
fn begins(table: &Table, condition: &AnyWhere, leads: &impl Fn(&Column, &Predicate) -> bool) -> bool {
    match condition {
        AnyWhere::And(all) => {
            let mut few = all
                .iter()
                .filter(|one| !matches!(one, AnyWhere::Likely(_)))
                .peekable();
            few.peek().is_none() || few.any(|one| begins(table, one, leads))
        }
        AnyWhere::Likely(_) => true,
        AnyWhere::Or(any) => any.iter().all(|one| begins(table, one, leads)),
        AnyWhere::Not(_) => false,
        AnyWhere::Compare(path, test) if !path.steps().is_empty() => {
            let step = step_to_few(table, path, test);
            step.is_some_and(|step| leads(&table.columns[step.from], &Predicate::OneOf(Vec::new())))
        }
        AnyWhere::Compare(path, test) => {
            let is_range = match test {
                Predicate::Is(comparison, _) => *comparison != Comparison::Ne,
                Predicate::OneOf(_) | Predicate::Between(..) | Predicate::Null(true) => true,
                Predicate::NoneOf(_) | Predicate::Like(_) | Predicate::Null(false) => false,
                Predicate::IsColumn(..) => false,
            };
            is_range && path.is_own_column() && leads(path.column(), test)
        }
    }
}

/// Collects the names of the fields in a condition.
fn add_names(condition: &AnyWhere, names: &mut Vec<String>) {
    match condition {
        AnyWhere::And(all) | AnyWhere::Or(all) => all.iter().for_each(|one| add_names(one, names)),
        AnyWhere::Not(one) => add_names(one, names),
        // An unselective condition needs no index.
        AnyWhere::Likely(_) => {}
        AnyWhere::Compare(path, _) => {
            let name = name(path);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
}

/// Formats a field path as a dotted name.
fn name(path: &FieldPath) -> String {
    let tables = path.steps().iter().map(|hop| hop.table.name);
    tables
        .chain([path.column().database_name])
        .collect::<Vec<_>>()
        .join(".")
}
