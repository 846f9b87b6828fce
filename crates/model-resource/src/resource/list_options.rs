//! List options of a resource, checked at startup.

use std::collections::HashSet;
use std::sync::Arc;

use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{AnyColumns, AnyGroupValue, SortKey};

use crate::pipeline::{Decorator, ModelSerializers};
use crate::query::{DELETED, ListOptions, group_name, values_of};
use crate::resource::spec::ResourceSpec;
use crate::routing::Operation;

/// Returns the list options that a resource declares. `outer` are the decorators around the list loader, which may read
/// query parameters themselves.
pub(super) fn list_options(
    spec: &ResourceSpec,
    outer: &[Arc<dyn Decorator>],
    serializers: &ModelSerializers,
) -> Result<ListOptions, String> {
    let decorators = outer.iter().flat_map(|decorator| decorator.query_parameters());
    let own_parameters = decorators.chain(spec.list.query_parameters.iter().copied());
    let options = ListOptions {
        page_size: spec.list.page_size,
        max_rows: spec.list.max_rows,
        query_budget: spec.list.query_budget,
        search: search_columns(spec, serializers)?,
        aggregate: aggregate_columns(spec, serializers)?,
        order: declared_order(spec, serializers)?,
        own_parameters: own_parameters.collect(),
        custom_query: !spec.overrides.needs_loaded(Operation::List),
    };
    options.check()?;
    check_deleted(spec, &options, serializers)?;
    Ok(options)
}

/// Rejects a field or a parameter of the application with the name of the parameter that shows deleted rows.
fn check_deleted(
    spec: &ResourceSpec,
    options: &ListOptions,
    serializers: &ModelSerializers,
) -> Result<(), String> {
    let table = spec.table;
    if table.soft_delete.is_none() {
        return Ok(());
    }
    if is_shown(serializers, DELETED) {
        return Err(format!(
            "#[column(soft_delete)] makes `{DELETED}` a parameter, and the list of {} has a field of this name: rename it by \
             #[column(json = \"..\")]",
            table.model
        ));
    }
    if options.own_parameters.contains(&DELETED) {
        return Err(format!(
            "#[column(soft_delete)] makes `{DELETED}` a parameter of the list of {}, and a decorator or QUERY_PARAMETERS names \
             it too: rename that one",
            table.model
        ));
    }
    Ok(())
}

/// Columns that `q` searches. The list must show them.
fn search_columns(spec: &ResourceSpec, serializers: &ModelSerializers) -> Result<AnyColumns, String> {
    let table = spec.table;
    for (_, column) in spec.list.search.of_table(table) {
        if !is_shown(serializers, &column.wire_name()) || column.data_type != DataType::Text {
            return Err(format!(
                "SEARCH names `{}`, which is no text that the list of {} shows",
                column.name, table.model
            ));
        }
    }
    Ok(spec.list.search)
}

/// Order of the list without `sort`. The list must show its columns, and be one whose rows the request selects.
fn declared_order(spec: &ResourceSpec, serializers: &ModelSerializers) -> Result<Vec<SortKey>, String> {
    let (table, order) = (spec.table, &spec.list.order);
    if !order.is_empty() && !spec.overrides.needs_loaded(Operation::List) {
        let message = "`order` has no effect on a custom `list` that finds its rows itself: take `Vec` of the model, or sort there";
        return Err(message.to_owned());
    }
    for key in order {
        let column = key.path.column();
        if !is_shown(serializers, &column.wire_name()) || column.data_type == DataType::Json {
            return Err(format!(
                "`order` names `{}`, which is no plain value that the list of {} shows",
                column.name, table.model
            ));
        }
    }
    Ok(order.clone())
}

/// Columns that may be grouped and aggregated. The list must show them, and be the automatic one.
fn aggregate_columns(spec: &ResourceSpec, serializers: &ModelSerializers) -> Result<AnyColumns, String> {
    let (table, columns) = (spec.table, spec.list.aggregate);
    if columns.is_empty() {
        return Ok(columns);
    }
    if spec.overrides.get(Operation::List).is_some() {
        let message = "AGGREGATE is for the automatic `list`, since a custom one finds its rows itself: take either off";
        return Err(message.to_owned());
    }
    if let Some(name) = ["group", "having"]
        .iter()
        .find(|name| is_shown(serializers, name))
    {
        return Err(format!(
            "AGGREGATE makes `{name}` a parameter, and the list of {} has a field of this name: rename it by \
             #[column(json = \"..\")]",
            table.model
        ));
    }
    let mut names = HashSet::from([group_name(table, AnyGroupValue::Count)]);
    for (position, column) in columns.of_table(table) {
        if !is_shown(serializers, &column.wire_name()) || column.data_type == DataType::Json {
            return Err(format!(
                "AGGREGATE names `{}`, which is no plain value that the list of {} shows",
                column.name, table.model
            ));
        }
        for value in values_of(table, position) {
            let name = group_name(table, value);
            if names.contains(&name) {
                return Err(format!(
                    "AGGREGATE names columns that give two values of a group the name `{name}`: rename `{}` by \
                     #[column(json = \"..\")]",
                    column.name
                ));
            }
            names.insert(name);
        }
    }
    Ok(columns)
}

/// Whether the list shows a column under this name.
fn is_shown(serializers: &ModelSerializers, name: &str) -> bool {
    let serializer = serializers.many.as_ref().or(serializers.single.as_ref());
    serializer.is_some_and(|serializer| serializer.projection().path(name).is_ok())
}
