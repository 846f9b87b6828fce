//! Bulk writes at the URLs of a resource.

use std::sync::Arc;

use model_resource_schema::column::Table;

use crate::api::resolved_url::ResolvedUrl;
use crate::bulk::{Bulk, BulkItemUrl, BulkOptions};

/// Bulk writes at a collection URL, if the resource has them. Existing objects are written at their item URL below the
/// same parents, by the primary key if there is such a URL. Without an item URL, only new objects are written.
pub(super) fn bulk_at(
    url: &ResolvedUrl<'_>,
    table: &'static Table,
    options: Option<&Arc<BulkOptions>>,
    own: &[ResolvedUrl<'_>],
) -> Result<Option<Arc<Bulk>>, String> {
    let (Some(options), None) = (options, url.key) else {
        return Ok(None);
    };
    let items = own.iter().filter(|other| url.is_collection_of(other));
    let items = items.filter_map(|other| Some((other, other.key?.column)));
    let mut items: Vec<(&ResolvedUrl<'_>, usize)> = items.collect();
    items.sort_by_key(|(_, column)| *column != table.primary_key);
    let usable = items.iter().find(|(_, column)| options.identifies_by(*column));
    if let (None, Some((_, column))) = (usable, items.first()) {
        return Err(format!(
            "BULK_METHODS names an update, and the serializer has no `{}` to tell the objects by",
            table.columns[*column].wire_name()
        ));
    }
    let item = usable.map(|(item, column)| BulkItemUrl {
        rule: item.rule.clone(),
        binding: Arc::new(item.binding(table, &[])),
        column: *column,
    });
    Ok(Some(Arc::new(Bulk {
        options: Arc::clone(options),
        item,
    })))
}
