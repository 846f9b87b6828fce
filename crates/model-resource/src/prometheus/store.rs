//! Metrics of a store.

use std::fmt::Write as _;

use metrics::{counter, gauge};
use model_resource_store::{Store, StoreStatus};

/// Updates the metrics of a store from its counters. The database is not asked.
pub(super) fn update(store: &Store, status: &StoreStatus) {
    for lane in &status.lanes {
        gauge!("store_connections", "lane" => lane.name).set(lane.connections as f64);
        gauge!("store_connections_idle", "lane" => lane.name).set(lane.idle as f64);
        gauge!("store_waiting", "lane" => lane.name).set(lane.waiting as f64);
        counter!("store_waits_expired_total", "lane" => lane.name).absolute(lane.expired);
    }
    counter!("store_group_commits_total").absolute(status.group_commits);
    counter!("store_group_committed_writes_total").absolute(status.group_committed_writes);
    counter!("store_searches_refused_total").absolute(status.refused_searches);
    counter!("store_searches_interrupted_total").absolute(status.slow_searches);
    counter!("store_reads_total").absolute(store.read_count());
    counter!("store_writes_total").absolute(store.writes());
}

/// Histogram of the writes in a group commit, in the text format; nothing on PostgreSQL, which has no group commits.
///
/// It is written here, because the recorder takes single values, and the store counts by size.
pub(super) fn group_commit_histogram(status: &StoreStatus) -> String {
    let mut text = String::new();
    if status.group_sizes.is_empty() {
        return text;
    }
    let name = "store_group_commit_writes";
    let mut commits = 0;
    let _ = writeln!(text, "# TYPE {name} histogram");
    for size in &status.group_sizes {
        commits += size.commits;
        let _ = writeln!(text, "{name}_bucket{{le=\"{}\"}} {commits}", size.max_writes);
    }
    let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {commits}");
    let _ = writeln!(text, "{name}_sum {}", status.group_committed_writes);
    let _ = writeln!(text, "{name}_count {commits}\n");
    text
}
