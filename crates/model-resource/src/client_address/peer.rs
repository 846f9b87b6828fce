//! The other end of a connection, handed from the server to whoever asks.

use std::future::Future;
use std::net::IpAddr;

tokio::task_local! {
    /// Beside the request and not in its extensions, which are empty otherwise, and would be made for every request.
    static PEER: IpAddr;
}

/// Runs a connection whose requests come from this address.
pub(crate) fn with_peer<F: Future>(peer: IpAddr, connection: F) -> impl Future<Output = F::Output> {
    PEER.scope(peer, connection)
}

/// The other end of the connection that is being served, if our server serves it.
pub(crate) fn peer() -> Option<IpAddr> {
    PEER.try_with(|peer| *peer).ok()
}
