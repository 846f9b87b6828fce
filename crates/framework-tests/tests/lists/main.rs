//! Lists and bulk requests of custom resources: settings, formats, exports and field names.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod aggregate_declarations;
mod aggregates;
mod bulk;
mod bulk_loading;
mod declared_order;
mod documents;
mod exports;
mod field_names;
mod filtered_writes;
mod formats;
mod list_settings;
mod query_prices;
mod searches_per_caller;

use serde_json::Value;

/// Returns the ids of a list.
fn ids(list: &Value) -> Vec<i64> {
    let objects = list.as_array().unwrap().iter();
    objects.map(|object| object["id"].as_i64().unwrap()).collect()
}
