//! List of all connections: how many there may be in all and of one address, and the end of them at a shutdown.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::http::IpNetwork;
use crate::server::connection::{Connection, HeadLimits, Order};
use crate::server_state::ServerState;

/// Part of the connections that is closed at once when there are too many, so that the next ones need no search.
const CLOSED_PART: usize = 64;
/// Interval at which refused connections are logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Bounds of the number of connections.
#[derive(Debug, Clone)]
pub(super) struct ConnectionLimits {
    pub(super) all: usize,
    pub(super) per_address: usize,
    /// Networks whose addresses may have any number of connections.
    pub(super) exempt: Vec<IpNetwork>,
}

/// ConnectionList of a server.
pub(super) struct ConnectionList {
    limits: ConnectionLimits,
    state: ServerState,
    open: Mutex<OpenConnections>,
    /// Notified when the last connection has ended.
    ended: Notify,
}

#[derive(Default)]
struct OpenConnections {
    next: u64,
    by_number: HashMap<u64, Arc<Connection>>,
    by_address: HashMap<IpAddr, usize>,
    logged: Option<Instant>,
}

/// Place of a connection in the list, left when dropped.
pub(super) struct ConnectionPlace {
    connections: Arc<ConnectionList>,
    number: u64,
    address: Option<IpAddr>,
    pub(super) connection: Arc<Connection>,
}

impl ConnectionList {
    pub(super) fn new(limits: ConnectionLimits, state: ServerState) -> Self {
        Self {
            limits,
            state,
            open: Mutex::default(),
            ended: Notify::new(),
        }
    }

    /// Lists a new connection, or returns `None` if there are too many. If there are too many in all, those that have
    /// waited longest for a request are closed first.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr, limits: HeadLimits) -> Option<ConnectionPlace> {
        let address = self.counted(peer);
        let mut open = self.open();
        let of_address = address.map_or(0, |address| open.by_address.get(&address).copied().unwrap_or(0));
        let is_full = open.by_number.len() >= self.limits.all;
        if of_address >= self.limits.per_address || (is_full && !open.close_waiting()) {
            open.log_refusal(self.state.refuse(), peer);
            return None;
        }
        if let Some(address) = address {
            *open.by_address.entry(address).or_default() += 1;
        }
        let connection = Arc::new(Connection::new(limits, self.state.memory()));
        let number = open.next;
        open.next += 1;
        open.by_number.insert(number, Arc::clone(&connection));
        self.state.set_connections(open.by_number.len());
        Some(ConnectionPlace {
            connections: Arc::clone(self),
            number,
            address,
            connection,
        })
    }

    /// Lets every connection finish its request and close.
    pub(super) fn finish(&self) {
        let open = self.open();
        open.by_number.values().for_each(|one| one.give(Order::Finish));
    }

    /// Waits until no connection is open.
    pub(super) async fn all_ended(&self) {
        loop {
            let ended = self.ended.notified();
            if self.open().by_number.is_empty() {
                return;
            }
            ended.await;
        }
    }

    /// Address by which a connection is counted; `None` if it is exempt.
    fn counted(&self, peer: IpAddr) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        let is_exempt = self.limits.exempt.iter().any(|network| network.contains(peer));
        (!is_exempt).then(|| client_network(peer))
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    /// Closes some of the connections that have waited longest for a request. Returns whether there were any.
    fn close_waiting(&mut self) -> bool {
        let waiting = self.by_number.values();
        let mut waiting: Vec<_> = waiting
            .filter_map(|one| one.waiting_since().map(|since| (since, one)))
            .collect();
        let closed = (self.by_number.len() / CLOSED_PART).max(1).min(waiting.len());
        if closed == 0 {
            return false;
        }
        waiting.select_nth_unstable_by_key(closed - 1, |(since, _)| *since);
        for (_, one) in &waiting[..closed] {
            one.give(Order::Close);
        }
        true
    }

    fn log_refusal(&mut self, refused: u64, peer: IpAddr) {
        let now = Instant::now();
        if self.logged.is_none_or(|logged| now - logged >= LOG_INTERVAL) {
            self.logged = Some(now);
            let open = self.by_number.len();
            tracing::warn!(%peer, open, refused, "too many connections: new ones are closed");
        }
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        open.by_number.remove(&self.number);
        if let Some(address) = self.address
            && let Some(count) = open.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                open.by_address.remove(&address);
            }
        }
        self.connections.state.set_connections(open.by_number.len());
        if open.by_number.is_empty() {
            self.connections.ended.notify_waiters();
        }
    }
}

/// Address by which a client is counted: for IPv6 its /64 network, because that is what one client owns.
fn client_network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(all: usize, per_address: usize) -> Arc<ConnectionList> {
        let limits = ConnectionLimits {
            all,
            per_address,
            exempt: vec!["10.0.0.0/8".parse().expect("a network")],
        };
        Arc::new(ConnectionList::new(limits, ServerState::new(1 << 20)))
    }

    fn admit(connections: &Arc<ConnectionList>, peer: &str) -> Option<ConnectionPlace> {
        let limits = HeadLimits {
            header_timeout: Duration::from_secs(1),
            keep_alive_timeout: Duration::from_secs(1),
        };
        connections.admit(peer.parse().expect("an address"), limits)
    }

    #[tokio::test]
    async fn an_address_has_its_own_bound_and_trusted_proxies_have_none() {
        let connections = connections(100, 2);
        let one = admit(&connections, "192.0.2.1");
        let two = admit(&connections, "192.0.2.1");
        assert!(one.is_some() && two.is_some());
        assert!(admit(&connections, "192.0.2.1").is_none());
        assert!(admit(&connections, "::ffff:192.0.2.1").is_none());
        assert!(admit(&connections, "192.0.2.2").is_some());
        drop(one);
        assert!(admit(&connections, "192.0.2.1").is_some());
        let proxy: Vec<_> = (0..9).map(|_| admit(&connections, "10.1.2.3")).collect();
        assert!(proxy.iter().all(Option::is_some));
        assert_eq!(connections.state.refused_connections(), 2);
    }

    #[tokio::test]
    async fn a_network_of_ipv6_is_one_client() {
        let connections = connections(100, 1);
        let _one = admit(&connections, "2001:db8::1");
        assert!(admit(&connections, "2001:db8::2").is_none());
        assert!(admit(&connections, "2001:db8:0:1::2").is_some());
    }

    #[tokio::test]
    async fn the_connections_that_wait_longest_make_room_and_requests_do_not() {
        let connections = connections(2, 2);
        let busy = admit(&connections, "192.0.2.1").expect("a place");
        busy.connection.begin(&http::Request::new(()));
        let waiting = admit(&connections, "192.0.2.2").expect("a place");
        assert!(admit(&connections, "192.0.2.3").is_some());
        let order = |place: &ConnectionPlace| place.connection.order(std::task::Waker::noop());
        assert_eq!(order(&waiting), Order::Close);
        assert_eq!(order(&busy), Order::Serve);
        waiting.connection.begin(&http::Request::new(()));
        assert!(admit(&connections, "192.0.2.3").is_none());
    }
}
