//! List options of a resource, checked at startup.

use std::sync::Arc;

use model_resource_schema::data_type::DataType;
use model_resource_schema::query::AnyColumns;

use crate::pipeline::{Decorator, ModelSerializers};
use crate::query::ListOptions;
use crate::resource::spec::ResourceSpec;

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
        own_parameters: own_parameters.collect(),
        custom_query: false,
    };
    options.check()?;
    Ok(options)
}

/// Columns that `q` searches. The list must show them.
fn search_columns(spec: &ResourceSpec, serializers: &ModelSerializers) -> Result<AnyColumns, String> {
    let table = spec.table;
    let serializer = serializers.many.as_ref().or(serializers.single.as_ref());
    for (_, column) in spec.list.search.of_table(table) {
        let is_shown =
            serializer.is_some_and(|serializer| serializer.projection().path(&column.wire_name()).is_ok());
        if !is_shown || column.data_type != DataType::Text {
            return Err(format!(
                "SEARCH names `{}`, which is no text that the list of {} shows",
                column.name, table.model
            ));
        }
    }
    Ok(spec.list.search)
}
