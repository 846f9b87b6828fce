//! Startup checks of the routes of a registration.

use std::sync::Arc;

use http::Method;
use model_resource_schema::column::Table;

use crate::pipeline::{Decorator, UrlParameter};
use crate::resource::Endpoints;
use crate::routing::{Operation, Route};

/// Rejects bulk updates and deletes without an item URL, because every such request would fail.
pub(super) fn refuse_bulk_without_items(endpoints: &Endpoints, routes: &[Route]) -> Result<(), String> {
    let needs_item = endpoints.bulk.as_ref().is_some_and(|bulk| bulk.needs_item());
    if needs_item && !routes.iter().any(Route::writes_many_items) {
        Err(
            "BULK_METHODS names an operation on objects that are there, and no URL of one object stands beside that of \
             a collection: add one such as \"/planets/<int:id>\""
                .to_owned(),
        )
    } else {
        Ok(())
    }
}

/// Rejects a declared method that has no operation at any URL, because every such request would fail.
pub(super) fn refuse_idle_methods(routes: &[Route], declared: Option<&[Method]>) -> Result<(), String> {
    let is_unused = |method: &&Method| routes.iter().all(|route| route.chain(method).is_err());
    match declared.unwrap_or_default().iter().find(is_unused) {
        Some(method) => Err(format!(
            "{method} has no operation at the URLs of this resource: serve it by a view with #[route]"
        )),
        None => Ok(()),
    }
}

/// Decorators that run at a route, with the name of the operation or view.
fn decorators_at(route: &Route) -> impl Iterator<Item = (&Arc<dyn Decorator>, &str)> {
    // Bulk operations run at the URL of each item.
    let is_of_many = |method: &&Method| {
        let bulk = route.bulk(method);
        bulk.is_some_and(|(_, operation)| operation != Operation::Create)
    };
    let methods = route.methods().iter().filter(move |method| !is_of_many(method));
    let chains = methods.filter_map(|method| route.chain(method).ok());
    chains.flat_map(|chain| {
        let decorators = chain.decorators.iter();
        decorators.map(|decorator| (decorator, chain.name.as_str()))
    })
}

/// Rejects a decorator that needs a parameter the URL does not have.
pub(super) fn refuse_unknown_parameters(route: &Route) -> Result<(), String> {
    for (decorator, chain) in decorators_at(route) {
        let missing = |name: &&'static str| !route.rule.names().iter().any(|known| known == name);
        if let Some(name) = decorator.parameters().into_iter().find(missing) {
            return Err(format!(
                "`{}` has no parameter `{name}`, which {} of {chain} needs",
                route.rule.as_str(),
                decorator.name()
            ));
        }
    }
    Ok(())
}

/// Rejects a guard that compares the caller's key with the key of another model, because it would let the wrong callers
/// pass.
pub(super) fn refuse_other_accounts(route: &Route, accounts: Option<&'static Table>) -> Result<(), String> {
    let Some(accounts) = accounts else {
        return Ok(());
    };
    let names = route.rule.names();
    for (decorator, chain) in decorators_at(route) {
        let position = match decorator.caller_parameter() {
            Some(UrlParameter::Last) => names.len().checked_sub(1),
            Some(UrlParameter::Named(name)) => names.iter().position(|known| known == name),
            None => None,
        };
        let table = position.and_then(|position| route.binding.identified_table(position));
        if let (Some(position), Some(table)) =
            (position, table.filter(|table| !std::ptr::eq(*table, accounts)))
        {
            return Err(format!(
                "`{}`: {} of {chain} compares the caller with the parameter `{}`, which identifies a row of {} and not of {}: \
                 name the parameter that does by `.by(\"..\")`",
                route.rule.as_str(),
                decorator.name(),
                names[position],
                table.model,
                accounts.model
            ));
        }
    }
    Ok(())
}

/// Rejects a custom operation that no URL reaches.
pub(super) fn refuse_unreachable_operations(endpoints: &Endpoints, routes: &[Route]) -> Result<(), String> {
    let reached = |operation: Operation| {
        let mut methods = routes
            .iter()
            .flat_map(|route| route.methods().iter().map(move |m| (route, m)));
        methods
            .any(|(route, method)| route.chain(method).is_ok() && route.operation(method) == Some(operation))
    };
    match endpoints.defined.iter().find(|operation| !reached(**operation)) {
        Some(operation) => Err(format!(
            "no URL reaches the operation `{operation}` that is defined: create and list need a URL without \
             parameter, the others one with"
        )),
        None => Ok(()),
    }
}
