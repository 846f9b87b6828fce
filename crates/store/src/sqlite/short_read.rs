//! Short reads: which lists and relations take about as long as finding rows by their keys.

use model_resource_schema::column::Table;
use model_resource_schema::relation::Relation;

use crate::list_query::ListQuery;
use crate::sink::RowSink;

/// Maximum number of rows that a short read returns.
const MAX_SHORT_ROWS: u64 = 1024;

/// Whether a scan is short: it selects one row by a key, a few rows of the whole table in the order of the primary key,
/// or rows of a small table, and follows relations by keys only.
///
/// A filter or another order may read any number of rows, with an index or without, and is a search. So may a view.
pub(super) fn is_short_scan(list: &ListQuery, relations: &[Relation], sink: &impl RowSink) -> bool {
    let has_few_rows = sink.is_chunked() || list.max_rows().is_some_and(|rows| rows <= MAX_SHORT_ROWS);
    let is_slice = list.select().is_all() && list.keys().len() == 1 && !list.skips_many();
    let is_short = list.is_by_key() || list.is_of_small_table() || is_slice && has_few_rows;
    is_short && !list.table().is_view && are_by_key(relations)
}

/// Whether relations lead to at most one row each, found by its key.
pub(super) fn are_by_key(relations: &[Relation]) -> bool {
    let by_key = |relation: &Relation| is_key(relation.table, relation.to) && are_by_key(&relation.relations);
    relations.iter().all(by_key)
}

fn is_key(table: &'static Table, column: usize) -> bool {
    !table.is_view && (column == table.primary_key || table.columns[column].unique)
}
