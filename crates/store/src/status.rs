//! Numbers of a running store, for metrics.

/// Numbers of a store at one moment, outside of transactions. Reading them costs a few atomic loads and asks the
/// database nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreStatus {
    /// Connections and queues, by what they are used for.
    pub lanes: Vec<LaneStatus>,
    /// Number of group commits (SQLite).
    pub group_commits: u64,
    /// Number of writes in these group commits; divided by their number it is the mean size of a group.
    pub group_committed_writes: u64,
    /// Number of searches that were refused because too many waited.
    pub refused_searches: u64,
    /// Number of searches that were interrupted at the time limit.
    pub slow_searches: u64,
    /// Number of tasks that waited for a connection until the time limit, and were refused.
    pub expired_waits: u64,
}

/// Connections of one kind, and the tasks that wait for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneStatus {
    /// Kind of task: `reads`, `lists`, `searches`, `writes` or `transactions`.
    pub name: &'static str,
    /// Number of open connections.
    pub connections: usize,
    /// Number of open connections without a task.
    pub idle: usize,
    /// Number of tasks that wait for a connection.
    pub waiting: usize,
}
