//! Limit of open files, which bounds the connections of a process.

use std::sync::Once;

/// Files that are not connections to clients: the database, the log, and what the application opens.
const RESERVE: usize = 256;
/// Connections per process unless set otherwise.
const DEFAULT_CONNECTIONS: usize = 10_000;
/// Warning of this process about its limit.
static WARNED: Once = Once::new();

/// Raises the soft limit of open files to what the connections need, as far as the hard limit permits. Returns how many
/// connections fit below it.
pub(super) fn connections_within(wanted: Option<usize>) -> usize {
    let connections = wanted.unwrap_or(DEFAULT_CONNECTIONS);
    match raised(connections.saturating_add(RESERVE)) {
        None => connections,
        Some(files) => {
            let possible = files.saturating_sub(RESERVE).max(files / 2).max(1);
            if possible < connections {
                // Once, although the metrics have a server of their own.
                WARNED.call_once(|| {
                    tracing::warn!(
                        files,
                        connections = possible,
                        wanted = connections,
                        "the limit of open files reduces the connections that are accepted: raise it with `ulimit -n` \
                         or LimitNOFILE="
                    );
                });
            }
            connections.min(possible)
        }
    }
}

/// Limit of open files after raising it towards `wanted`. `None` means unlimited or unknown.
#[cfg(unix)]
fn raised(wanted: usize) -> Option<usize> {
    use rlimit::{Resource, increase_nofile_limit};

    let limit = increase_nofile_limit(wanted as u64)
        .or_else(|_| Resource::NOFILE.get_soft())
        .ok()?;
    usize::try_from(limit).ok()
}

#[cfg(not(unix))]
fn raised(_: usize) -> Option<usize> {
    None
}
