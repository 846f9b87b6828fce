//! Columns by which the URLs of an api identify rows.

use crate::api::compile::CompiledRoutes;
use crate::routing::ItemColumns;

impl CompiledRoutes {
    /// Columns by which the item URLs of each model identify rows.
    pub(super) fn item_columns(&self) -> ItemColumns {
        let mut columns = ItemColumns::default();
        for route in &self.routes {
            let (binding, pattern) = (&route.binding, route.rule.key_pattern());
            if let (Some(table), Some(key), Some(pattern)) = (binding.table, binding.key, pattern) {
                columns.insert(table, key.column, pattern);
            }
        }
        columns
    }
}
