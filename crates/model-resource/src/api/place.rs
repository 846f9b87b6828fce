//! What a resource's URL says of its model: which rows it is about, and which of them.

use model_resource_schema::column::Table;
use model_resource_schema::kind::Kind;
use model_resource_schema::naming;

use crate::context::Place;
use crate::url::{AxumPath, Converter, Rule, Segment};

/// What a URL says of a model. `candidates` are all URLs of the model, for the address of a new object.
pub(super) fn of(rule: &Rule, table: &'static Table, candidates: &[&Rule]) -> Result<Place, String> {
    let (scope, key) = parameters(rule, table);
    refuse_misspelt_parents(rule, table, &scope)?;
    refuse_foreign_converters(rule, table, &scope, key)?;
    let item = item_url(rule, table, candidates);
    Ok(Place {
        table: Some(table),
        scope,
        key,
        item,
        path: AxumPath::of(rule),
    })
}

/// Which URL parameters fix a foreign key, and which one names the object.
///
/// A parameter with the name of a foreign key column scopes the rows, unless the URL ends with it.
fn parameters(rule: &Rule, table: &'static Table) -> (Vec<(usize, usize)>, Option<usize>) {
    let ends_with_parameter = matches!(rule.segments().last(), Some(Segment::Parameter(_)));
    let count = rule.names().len();
    let mut scope = Vec::new();
    let mut key = None;
    for (position, name) in rule.names().iter().enumerate() {
        let is_end = ends_with_parameter && position + 1 == count;
        match table
            .position(name)
            .filter(|column| is_parent(table, *column) && !is_end)
        {
            Some(column) => scope.push((position, column)),
            None => key = Some(position),
        }
    }
    (scope, key)
}

fn is_parent(table: &'static Table, column: usize) -> bool {
    table.columns[column].references.is_some() && column != table.primary_key
}

/// `/bikes/<int:bike>/repairs` is meant to be about one bike's repairs, and without the column's name it would not be.
fn refuse_misspelt_parents(
    rule: &Rule,
    table: &'static Table,
    scope: &[(usize, usize)],
) -> Result<(), String> {
    let parents = || (0..table.columns.len()).filter(|column| is_parent(table, *column));
    let parents = || parents().map(|column| table.columns[column].name);
    for (position, name) in rule.names().iter().enumerate() {
        let is_known = name == table.key().name || scope.iter().any(|(scoped, _)| *scoped == position);
        let is_meant = |parent: &&str| *parent == format!("{name}_id") || *parent == *name;
        let is_last = position + 1 == rule.names().len() && rule.as_str().ends_with('>');
        if is_known || is_last {
            continue;
        }
        if let Some(parent) = parents()
            .find(is_meant)
            .or_else(|| naming::nearest(name, parents()))
        {
            return Err(format!(
                "`{}`: the parameter `{name}` is no foreign key of {} and would not limit its rows; did you mean \
                 `{parent}`?",
                rule.as_str(),
                table.model
            ));
        }
    }
    Ok(())
}

/// A parameter that can never hold a value of its column finds nothing.
fn refuse_foreign_converters(
    rule: &Rule,
    table: &'static Table,
    scope: &[(usize, usize)],
    key: Option<usize>,
) -> Result<(), String> {
    let key = key.map(|position| (position, table.primary_key));
    for (position, column) in scope.iter().copied().chain(key) {
        let (column, converter) = (&table.columns[column], rule.converter(position));
        let is_integer = matches!(column.kind, Kind::I16 | Kind::I32 | Kind::I64);
        let fits = match converter {
            Converter::Int => is_integer || column.kind == Kind::Text,
            Converter::Uuid => matches!(column.kind, Kind::Uuid | Kind::Text),
            Converter::Float => !is_integer && column.kind != Kind::Uuid,
            Converter::Any(_) | Converter::Text | Converter::Path => true,
        };
        if !fits {
            return Err(format!(
                "`{}`: the parameter `{}` can never be a key of {}, whose `{}` is of another type",
                rule.as_str(),
                rule.names()[position],
                table.model,
                column.name
            ));
        }
    }
    Ok(())
}

/// The URL of one object of the model that can be built from what this URL knows and the object's key.
fn item_url(rule: &Rule, table: &'static Table, candidates: &[&Rule]) -> Option<Rule> {
    let known = |name: &String| rule.names().contains(name);
    let fits = |candidate: &&&Rule| {
        let (_, key) = parameters(candidate, table);
        let last = candidate.names().len().checked_sub(1);
        key.is_some() && key == last && candidate.names()[..last.unwrap_or(0)].iter().all(known)
    };
    candidates.iter().find(fits).map(|rule| (*rule).clone())
}

/// The URL of one object that has the same parents as the collection's, and nothing else before its key.
pub(super) fn item_beside(rule: &Rule, table: &'static Table, own: &[Rule]) -> Option<Rule> {
    let is_beside = |candidate: &&Rule| {
        let names = candidate.names();
        let (_, key) = parameters(candidate, table);
        key.is_some()
            && key.map(|key| key + 1) == Some(names.len())
            && names[..names.len() - 1] == *rule.names()
    };
    own.iter().find(is_beside).cloned()
}
