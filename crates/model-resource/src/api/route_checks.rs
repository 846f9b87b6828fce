//! Startup checks of the routes of a registration.

use std::sync::Arc;

use http::Method;
use model_resource_schema::column::Table;

use crate::bulk::BulkOptions;
use crate::pipeline::{Decorator, UrlParameter};
use crate::resource::{ResourceSpec, is_assigned};
use crate::routing::{ALL_METHODS, Action, Operation, Route};

/// Checks the routes of a resource; `writes_items` is whether bulk requests can write existing objects at one of them.
pub(super) fn check_resource_routes(
    spec: &ResourceSpec,
    bulk: Option<&BulkOptions>,
    methods: Option<&[Method]>,
    writes_items: bool,
    routes: &[Route],
) -> Result<(), String> {
    check_bulk_items(bulk, writes_items)?;
    check_methods(routes, methods)?;
    check_view(spec, routes)?;
    check_upserts(spec, routes)?;
    check_reachable(spec, routes)
}

/// Rejects bulk updates and deletes without an item URL, because every such request would fail.
fn check_bulk_items(bulk: Option<&BulkOptions>, writes_items: bool) -> Result<(), String> {
    let needs_item = bulk.is_some_and(BulkOptions::needs_item);
    if needs_item && !writes_items {
        Err(
            "BULK_METHODS or FILTER_METHODS names an operation on objects that are there, and no URL of one object stands beside that of \
             a collection: add one such as \"/planets/<int:id>\""
                .to_owned(),
        )
    } else {
        Ok(())
    }
}

/// Rejects upserts at URLs that do not fit: put needs a key that clients assign, and create the URL of one object.
fn check_upserts(spec: &ResourceSpec, routes: &[Route]) -> Result<(), String> {
    let actions = || routes.iter().flat_map(Route::actions).map(|(_, action)| action);
    let is_of = |operation| move |action: &&Arc<Action>| action.operation == Some(operation);
    let puts = actions().filter(is_of(Operation::Put));
    let mut columns = puts.filter_map(|action| Some(&spec.table.columns[action.binding.key?.column]));
    if spec.put_creates
        && let Some(column) = columns.find(|column| !is_assigned(column))
    {
        return Err(format!(
            "PUT_CREATES needs a key that clients assign, and `{}` is generated: declare it as `primary_key = client`, or identify \
             the objects in the URL by a unique column that clients set",
            column.name
        ));
    }
    let mut creations = actions().filter(is_of(Operation::Create));
    if !spec.merged.is_empty() && creations.any(|action| action.binding.items.is_empty()) {
        return Err(
            "MERGE_DUPLICATES changes an object at its own URL, and there is none beside that of the collection: add one such as \
             \"/planets/<int:id>\""
                .to_owned(),
        );
    }
    Ok(())
}

/// Rejects a declared method that has no operation at any URL, because every such request would fail.
fn check_methods(routes: &[Route], declared: Option<&[Method]>) -> Result<(), String> {
    let is_unused = |method: &&Method| routes.iter().all(|route| route.action(method).is_none());
    match declared.unwrap_or_default().iter().find(is_unused) {
        Some(method) => Err(format!(
            "{method} has no operation at the URLs of this resource: serve it by a view with #[route]"
        )),
        None => Ok(()),
    }
}

/// Rejects writes of a view.
fn check_view(spec: &ResourceSpec, routes: &[Route]) -> Result<(), String> {
    let mut actions = routes.iter().flat_map(Route::actions);
    let operations = actions.find_map(|(_, action)| action.operation.filter(|operation| operation.writes()));
    match operations.filter(|_| spec.table.is_view) {
        Some(operation) => Err(format!(
            "{} is a view, which is only read, and `{operation}` writes: add `const INCLUDE_METHODS: Operations = \
             Operations::of([GET, LIST]);`, and write to the tables of the view",
            spec.table.model
        )),
        None => Ok(()),
    }
}

/// Rejects a custom operation that no URL reaches.
fn check_reachable(spec: &ResourceSpec, routes: &[Route]) -> Result<(), String> {
    let is_reached = |operation: Operation| {
        let mut actions = routes.iter().flat_map(Route::actions);
        actions.any(|(_, action)| action.operation == Some(operation))
    };
    let mut custom = ALL_METHODS
        .into_iter()
        .filter(|operation| spec.overrides.get(*operation).is_some());
    match custom.find(|operation| !is_reached(*operation)) {
        Some(operation) => Err(format!(
            "no URL reaches the operation `{operation}` that is defined: create and list need a URL without \
             parameter, the others one with"
        )),
        None => Ok(()),
    }
}

/// Rejects decorators that do not fit the URL's parameters. `accounts` is the table of the callers' accounts.
pub(super) fn check_parameters(route: &Route, accounts: Option<&'static Table>) -> Result<(), String> {
    for (decorator, chain) in decorators_at(route) {
        check_required_parameters(route, decorator, chain)?;
        if let Some(accounts) = accounts {
            check_caller_parameter(route, decorator, chain, accounts)?;
        }
    }
    Ok(())
}

/// Decorators that run at a route, with the name of the operation or view.
fn decorators_at(route: &Route) -> impl Iterator<Item = (&Arc<dyn Decorator>, &str)> {
    // Bulk operations run at the URL of each item.
    let actions = route
        .actions()
        .filter(|(_, action)| action.bulk.is_none() || action.operation == Some(Operation::Create));
    actions.flat_map(|(_, action)| {
        let decorators = action.chain.decorators.iter();
        decorators.map(|decorator| (decorator, action.chain.name.as_str()))
    })
}

/// Rejects a decorator that needs a parameter the URL does not have.
fn check_required_parameters(
    route: &Route,
    decorator: &Arc<dyn Decorator>,
    chain: &str,
) -> Result<(), String> {
    let is_missing = |name: &&'static str| !route.rule.names().iter().any(|known| known == name);
    match decorator.parameters().into_iter().find(is_missing) {
        Some(name) => Err(format!(
            "`{}` has no parameter `{name}`, which {} of {chain} needs",
            route.rule.as_str(),
            decorator.name()
        )),
        None => Ok(()),
    }
}

/// Rejects a guard that compares the caller's key with the key of another model, because it would let the wrong callers
/// pass.
fn check_caller_parameter(
    route: &Route,
    decorator: &Arc<dyn Decorator>,
    chain: &str,
    accounts: &'static Table,
) -> Result<(), String> {
    let names = route.rule.names();
    let position = match decorator.caller_parameter() {
        Some(UrlParameter::Last) => names.len().checked_sub(1),
        Some(UrlParameter::Named(name)) => names.iter().position(|known| known == name),
        None => None,
    };
    let identified =
        position.and_then(|position| Some((position, route.binding.identified_table(position)?)));
    match identified {
        Some((position, table)) if table.id() != accounts.id() => Err(format!(
            "`{}`: {} of {chain} compares the caller with the parameter `{}`, which identifies a row of {} and not of {}: \
             name the parameter that does by `.by(\"..\")`",
            route.rule.as_str(),
            decorator.name(),
            names[position],
            table.model,
            accounts.model
        )),
        _ => Ok(()),
    }
}
