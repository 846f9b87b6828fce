//! Connection that a request came by, passed from the server to the requests.

use std::future::Future;
use std::net::IpAddr;

use crate::http::memory::MemoryBudget;

tokio::task_local! {
    /// Task-local, because request extensions are otherwise empty and would be allocated for every request.
    static CONNECTION: (IpAddr, MemoryBudget);
}

/// Runs a connection whose requests come from this address and use this memory.
pub(crate) fn with_connection<F: Future>(
    peer: IpAddr,
    memory: MemoryBudget,
    connection: F,
) -> impl Future<Output = F::Output> {
    CONNECTION.scope((peer, memory), connection)
}

/// Peer of the current connection, if [`Server`](crate::Server) serves it.
pub(crate) fn peer() -> Option<IpAddr> {
    CONNECTION.try_with(|(peer, _)| *peer).ok()
}

impl MemoryBudget {
    /// Memory budget of the current connection, if [`Server`](crate::Server) serves it.
    pub(crate) fn current() -> Option<Self> {
        CONNECTION.try_with(|(_, memory)| memory.clone()).ok()
    }
}
