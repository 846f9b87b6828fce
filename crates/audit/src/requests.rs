//! Requests of an audit, one for each method, URL and state of the row.

use model_resource::schema::column::OnDelete;
use model_resource::schema::json::url_text;
use model_resource::{ActionDescription, Operation};

use crate::bodies::{AuditBody, Bodies};
use crate::fixture::FixtureRow;
use crate::targets::{Target, Targets, below, encode, is_bulk_change};

/// One request, independent of the caller.
#[derive(Debug)]
pub(crate) struct AuditRequest {
    pub(crate) method: String,
    /// URL as it is registered.
    pub(crate) url: String,
    /// State of the row, and whether the request is a bulk request.
    pub(crate) row: String,
    pub(crate) path: String,
    pub(crate) body: Option<AuditBody>,
    /// Whether the response is a list, whose rows are counted.
    pub(crate) is_list: bool,
    /// Whether a filter selects the row, of which clients have to say how many they expect.
    pub(crate) is_by_filter: bool,
    /// Rows that refer to the requested one, those that nothing refers to first.
    pub(crate) dependents: Vec<FixtureRow>,
}

/// Returns the requests of all actions, or every mistake of the declaration.
pub(crate) fn requests(targets: &Targets<'_>, bodies: &Bodies<'_>) -> Result<Vec<AuditRequest>, Vec<String>> {
    let mut all = Vec::new();
    let mut mistakes = Vec::new();
    for action in &targets.description.actions {
        match requests_of(action, targets, bodies) {
            Ok(requests) => all.extend(requests),
            Err(problem) => {
                let route = &action.route;
                mistakes.push(format!("{} {}: {problem}", route.method, route.url));
            }
        }
    }
    mistakes.extend(unserved(targets));
    if mistakes.is_empty() {
        Ok(all)
    } else {
        Err(mistakes)
    }
}

/// Declarations about what is not served.
fn unserved(targets: &Targets<'_>) -> impl Iterator<Item = String> {
    let prefix = &targets.description.prefix;
    let routes = || targets.description.actions.iter().map(|action| &action.route);
    let has_action = move |name: &str| {
        routes().any(|route| format!("{} {}", route.method, below(prefix, &route.url)) == name)
    };
    let bodies = targets.audit.bodies.iter().map(|body| body.action.clone());
    let bodies = bodies.filter(move |action| !has_action(action));
    let bodies = bodies.map(|action| format!("{action} is not served: remove its `.body(..)`"));
    let rows = targets.audit.rows.iter().map(|row| row.url.clone());
    let rows = rows.filter(move |url| !routes().any(|route| below(prefix, &route.url) == url));
    let rows = rows.map(|url| format!("nothing is served at {url}: remove its `.row(..)`"));
    let has_parameter = move |name: &str| {
        let mut actions = targets.description.actions.iter();
        actions.any(|action| action.parameters.iter().any(|parameter| parameter.name == name))
    };
    let params = targets.audit.params.iter().map(|(name, _)| name.clone());
    let params = params.filter(move |name| !has_parameter(name));
    let params = params.map(|name| format!("no URL has the parameter `{name}`: remove its `.param(..)`"));
    bodies.chain(rows).chain(params)
}

/// Returns the requests of one action: one per row, and one bulk request if the action accepts it.
fn requests_of(
    action: &ActionDescription,
    targets: &Targets<'_>,
    bodies: &Bodies<'_>,
) -> Result<Vec<AuditRequest>, String> {
    let found = targets.of(action)?;
    reject_equal_states(action, &found)?;
    let mut requests = Vec::new();
    for target in found {
        let body = bodies.of(action, target.row)?;
        let dependents = match (action.route.operation, target.row) {
            (Some(Operation::Delete), Some(row)) => dependents(targets.rows, row),
            _ => Vec::new(),
        };
        if is_bulk_change(action) {
            let request = bulk_change(action, &target, body)?;
            requests.push(AuditRequest {
                dependents,
                ..request
            });
            continue;
        }
        let many = body.clone().filter(|_| action.route.bulk);
        let request = AuditRequest::new(action, target.state.clone(), target.path.clone(), body);
        requests.push(AuditRequest {
            dependents,
            ..request
        });
        if let Some(many) = many {
            let state = many_of(&target.state);
            requests.push(AuditRequest::new(
                action,
                state,
                target.path,
                Some(many.of_many()),
            ));
        }
    }
    Ok(requests)
}

/// Returns the rows that keep a row from being deleted, those that nothing refers to first.
fn dependents(rows: &[FixtureRow], row: &FixtureRow) -> Vec<FixtureRow> {
    let mut found = vec![row.clone()];
    let mut position = 0;
    while let Some(parent) = found.get(position).cloned() {
        let refers = |other: &&FixtureRow| {
            let columns = other.table.columns.iter().zip(other.record.values());
            let mut references = columns.filter_map(|(column, value)| Some((column.references?, value)));
            references.any(|(references, value)| {
                references.on_delete == OnDelete::Restrict
                    && (references.table)().id() == parent.table.id()
                    && value == parent.key()
            })
        };
        for other in rows.iter().filter(refers) {
            let is_same =
                |known: &FixtureRow| known.table.id() == other.table.id() && known.key() == other.key();
            if !found.iter().any(is_same) {
                found.push(other.clone());
            }
        }
        position += 1;
    }
    found.into_iter().skip(1).rev().collect()
}

/// Rejects rows that the matrix could not tell apart.
fn reject_equal_states(action: &ActionDescription, targets: &[Target<'_>]) -> Result<(), String> {
    for (index, target) in targets.iter().enumerate() {
        if targets[..index].iter().any(|other| other.state == target.state) {
            let model = action.model.unwrap_or("a model");
            return Err(format!(
                "two rows of `{model}` are in the state {:?}: name their states by `Fixture::add_as`, or add one of them \
                 by `Fixture::add_other`",
                target.state
            ));
        }
    }
    Ok(())
}

/// Returns the request that changes or deletes one row by the way for many.
fn bulk_change(
    action: &ActionDescription,
    target: &Target<'_>,
    body: Option<AuditBody>,
) -> Result<AuditRequest, String> {
    let row = target
        .row
        .ok_or("the rows of a bulk request cannot be declared by `.row(..)`: add them in the fixture")?;
    let body = body.map(|body| if action.route.bulk { body.of_many() } else { body });
    let is_by_key = action.route.bulk && action.route.operation != Some(Operation::Delete);
    let path = if is_by_key {
        target.path.clone()
    } else {
        format!("{}?{}", target.path, selection(action, row))
    };
    Ok(AuditRequest::new(action, many_of(&target.state), path, body))
}

/// Query that selects one row.
fn selection(action: &ActionDescription, row: &FixtureRow) -> String {
    let primary = || row.table.key().wire_name();
    let name = action.bulk_key.clone().unwrap_or_else(primary);
    let value = row.value(&name).unwrap_or(row.key());
    format!("{}={}", encode(&name), encode(&url_text(value.borrow())))
}

/// Label of a bulk request.
fn many_of(state: &str) -> String {
    if state.is_empty() {
        "many".to_owned()
    } else {
        format!("many, {state}")
    }
}

impl AuditRequest {
    fn new(action: &ActionDescription, row: String, path: String, body: Option<AuditBody>) -> Self {
        let route = &action.route;
        Self {
            method: route.method.clone(),
            url: route.url.clone(),
            row,
            path,
            body,
            is_list: route.operation == Some(Operation::List) && route.method == "GET",
            is_by_filter: route.filtered && !route.bulk,
            dependents: Vec::new(),
        }
    }
}
