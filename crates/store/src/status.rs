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
    /// Sizes of these group commits, in the order of their bounds.
    pub group_sizes: Vec<GroupSizes>,
    /// Number of searches that were refused because too many waited, or because they waited until the time limit.
    pub refused_searches: u64,
    /// Number of searches that were interrupted at the time limit.
    pub slow_searches: u64,
}

/// Number of the group commits up to a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupSizes {
    /// Largest number of writes in one of them.
    pub max_writes: u64,
    /// Number of group commits that are larger than the bound before, and not larger than this one.
    pub commits: u64,
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
    /// Number of tasks that waited for a connection until the time limit, and were refused.
    pub expired: u64,
}
