//! Connection that a request came by, passed from the server to the requests.

use std::future::Future;
use std::net::IpAddr;

use tokio::runtime::Handle;

use crate::http::background::BackgroundTasks;
use crate::http::memory::MemoryBudget;

tokio::task_local! {
    /// Task-local, because request extensions are otherwise empty and would be allocated for every request.
    static CONNECTION: (IpAddr, MemoryBudget, BackgroundTasks);
}

/// Runs a connection whose requests come from this address, use this memory, and leave these tasks behind.
pub(crate) fn with_connection<F: Future>(
    peer: IpAddr,
    memory: MemoryBudget,
    background: BackgroundTasks,
    connection: F,
) -> impl Future<Output = F::Output> {
    CONNECTION.scope((peer, memory, background), connection)
}

/// Peer of the current connection, if [`Server`](crate::Server) serves it.
pub(crate) fn peer() -> Option<IpAddr> {
    CONNECTION.try_with(|(peer, ..)| *peer).ok()
}

impl MemoryBudget {
    /// Memory budget of the current connection, if [`Server`](crate::Server) serves it.
    pub(crate) fn current() -> Option<Self> {
        CONNECTION.try_with(|(_, memory, _)| memory.clone()).ok()
    }
}

/// Runs a future in the background. If [`Server`](crate::Server) serves the current connection, it waits for the future
/// before it stops.
pub(crate) fn spawn_background(work: impl Future<Output = ()> + Send + 'static) {
    let Ok(runtime) = Handle::try_current() else {
        return;
    };
    let tasks = CONNECTION.try_with(|(_, _, background)| background.clone());
    tasks.unwrap_or_default().spawn(&runtime, work);
}
