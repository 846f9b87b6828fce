//! How a list is read, and what it lacks an index for.

use model_resource_schema::query::{Condition, Path, Test};

use crate::list::List;

/// How a database reads a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The statement, or several that run one after the other until there are enough rows; values are bound and not in it.
    pub sql: String,
    /// What the database does, line by line, in its own words.
    pub plan: Vec<String>,
    /// What has no index, and so costs more the more rows there are.
    pub unindexed: Vec<String>,
}

/// The columns of an index, in their order.
pub(crate) type Index = Vec<String>;

/// Says what a list lacks an index for: filters, if none of them can use one, and the order.
pub(crate) fn unindexed(list: &List, indexes: &[Index]) -> Vec<String> {
    let leads = |column: &str| {
        indexes
            .iter()
            .any(|index| index.first().is_some_and(|first| first == column))
    };
    let mut lacking = Vec::new();
    let (table, select) = (list.table(), list.select());
    let mut filters = Vec::new();
    needed(select.condition(), &mut filters);
    let is_indexed = |path: &&Path| {
        let column = match path.hops().first() {
            Some(hop) => table.columns[hop.from].name,
            None => path.column().name,
        };
        leads(column)
    };
    let is_scoped = select
        .conditions()
        .iter()
        .any(|(column, _)| leads(table.columns[*column].name));
    if !select.condition().is_every() && !is_scoped && !filters.iter().any(is_indexed) {
        lacking.push(format!(
            "the filters have no index on table {} to begin with",
            table.name
        ));
    }
    let first = &list.keys()[0].path;
    if !first.is_own_column() || !leads(first.column().name) {
        let column = first.column().name;
        lacking.push(format!(
            "the order has no index on table {} that begins with {column}",
            table.name
        ));
    }
    lacking
}

/// The paths of which every row must pass a test that an index can be asked.
fn needed<'c>(condition: &'c Condition, paths: &mut Vec<&'c Path>) {
    match condition {
        Condition::All(all) => all.iter().for_each(|one| needed(one, paths)),
        Condition::Holds(path, test) => {
            if path.keys().is_empty() && !matches!(test, Test::Like(_) | Test::NoneOf(_)) {
                paths.push(path);
            }
        }
        Condition::Any(_) | Condition::Not(_) => {}
    }
}
