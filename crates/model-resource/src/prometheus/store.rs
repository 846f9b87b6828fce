//! Metrics of a store.

use metrics::{counter, gauge};
use model_resource_store::Store;

/// Updates the metrics of a store from its counters. The database is not asked.
pub(super) fn update(store: &Store) {
    let status = store.status();
    for lane in &status.lanes {
        gauge!("store_connections", "lane" => lane.name).set(lane.connections as f64);
        gauge!("store_connections_idle", "lane" => lane.name).set(lane.idle as f64);
        gauge!("store_waiting", "lane" => lane.name).set(lane.waiting as f64);
    }
    counter!("store_group_commits_total").absolute(status.group_commits);
    counter!("store_group_committed_writes_total").absolute(status.group_committed_writes);
    counter!("store_searches_refused_total").absolute(status.refused_searches);
    counter!("store_searches_interrupted_total").absolute(status.slow_searches);
    counter!("store_waits_expired_total").absolute(status.expired_waits);
    counter!("store_reads_total").absolute(store.read_count());
    counter!("store_writes_total").absolute(store.writes());
}
