//! Peer address of a connection, passed from the server to the requests.

use std::future::Future;
use std::net::IpAddr;

tokio::task_local! {
    /// Task-local, because request extensions are otherwise empty and would be allocated for every request.
    static PEER: IpAddr;
}

/// Runs a connection whose requests come from this address.
pub(crate) fn with_peer<F: Future>(peer: IpAddr, connection: F) -> impl Future<Output = F::Output> {
    PEER.scope(peer, connection)
}

/// Peer of the current connection, if [`Server`](crate::Server) serves it.
pub(crate) fn peer() -> Option<IpAddr> {
    PEER.try_with(|peer| *peer).ok()
}
