//! Settings of a server.

use std::time::Duration;

use crate::http::{IpNetwork, MAX_TIMEOUT};
use crate::server::connection::HeadLimits;
use crate::server::connection_list::ConnectionLimits;
use crate::server::file_limit::connections_within;
use crate::server::write_pace::WriteLimits;
use crate::server_state::ServerState;

/// Connections of one address unless set otherwise.
const DEFAULT_PER_ADDRESS: usize = 1024;

/// HTTP server settings.
///
/// A setting that cannot work, such as no connection at all, panics with the remedy.
#[derive(Debug, Clone)]
pub struct Server {
    pub(super) header_timeout: Duration,
    pub(super) keep_alive_timeout: Duration,
    pub(super) max_header_bytes: usize,
    pub(super) max_headers: Option<usize>,
    pub(super) write_timeout: Duration,
    pub(super) min_write_rate: u32,
    pub(super) grace_period: Duration,
    pub(super) shutdown_timeout: Duration,
    pub(super) max_connections: Option<usize>,
    pub(super) max_connections_per_address: Option<usize>,
    pub(super) trusted_proxies: Vec<IpNetwork>,
    pub(super) has_access_log: bool,
    pub(super) state: ServerState,
}

/// Smallest memory budget.
const MIN_MEMORY: usize = 1024 * 1024;

impl Default for Server {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(10),
            keep_alive_timeout: Duration::from_secs(75),
            max_header_bytes: 128 * 1024,
            max_headers: None,
            write_timeout: Duration::from_secs(30),
            min_write_rate: 1024,
            grace_period: Duration::ZERO,
            shutdown_timeout: Duration::from_secs(30),
            max_connections: None,
            max_connections_per_address: None,
            trusted_proxies: Vec::new(),
            has_access_log: false,
            state: ServerState::default(),
        }
    }
}

impl Server {
    /// Sets the timeout for a client to send a request's headers; 10 seconds by default, at most 30 years. It begins
    /// with the connection or, for a further request, with the first byte of it.
    pub fn header_timeout(mut self, limit: Duration) -> Self {
        self.header_timeout = limit.min(MAX_TIMEOUT);
        self
    }

    /// Sets how long a connection is kept open for a further request; 75 seconds by default, at most 30 years. It should
    /// be longer than that of a proxy in front, so that the proxy is the one that closes idle connections.
    pub fn keep_alive_timeout(mut self, limit: Duration) -> Self {
        self.keep_alive_timeout = limit.min(MAX_TIMEOUT);
        self
    }

    /// Sets the maximum bytes of a request line with its headers; 128 KiB by default. Beyond, the response is 431.
    ///
    /// # Panics
    /// Below 1 KiB.
    #[track_caller]
    pub fn max_header_bytes(mut self, limit: usize) -> Self {
        assert!(
            limit >= 1024,
            "max_header_bytes: ordinary requests need 1024 bytes, which is the minimum"
        );
        self.max_header_bytes = limit;
        self
    }

    /// Sets the maximum number of a request's headers; 100 by default. Beyond, the response is 431.
    ///
    /// # Panics
    /// If it is 0.
    #[track_caller]
    pub fn max_headers(mut self, limit: usize) -> Self {
        assert!(
            limit > 0,
            "max_headers: every request has a header, set 1 or more"
        );
        self.max_headers = Some(limit);
        self
    }

    /// Sets the timeout for a client to accept a part of a response; 30 seconds by default, at most 30 years.
    pub fn write_timeout(mut self, limit: Duration) -> Self {
        self.write_timeout = limit.min(MAX_TIMEOUT);
        self
    }

    /// Sets the bytes per second at which a client must take a response on average; 1 KiB by default, 0 for any rate.
    ///
    /// A client may fall behind by the [write timeout](Self::write_timeout). A response of which more than 60 KiB is
    /// held in memory must be taken faster, so that it is gone after a minute.
    pub fn min_write_rate(mut self, bytes_per_second: u32) -> Self {
        self.min_write_rate = bytes_per_second;
        self
    }

    /// Sets how long the server continues to accept connections and requests after the shutdown has begun; none by default.
    ///
    /// Meanwhile [`ServerState::is_stopping`] lets a readiness check fail, every response closes its connection, and
    /// idle connections stay open: a proxy learns that the server is going away before a request of it is lost.
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.grace_period = period.min(MAX_TIMEOUT);
        self
    }

    /// Sets how long a shutdown waits for requests to finish; 30 seconds by default.
    pub fn shutdown_timeout(mut self, limit: Duration) -> Self {
        self.shutdown_timeout = limit.min(MAX_TIMEOUT);
        self
    }

    /// Sets the maximum number of connections; 10,000 by default, or as many as the limit of open files permits.
    ///
    /// If there are more, those that have waited longest for a request are closed; if there are none of these, the new
    /// one is.
    ///
    /// # Panics
    /// If it is 0.
    #[track_caller]
    pub fn max_connections(mut self, limit: usize) -> Self {
        assert!(
            limit > 0,
            "max_connections: a server needs a connection, set 1 or more"
        );
        self.max_connections = Some(limit);
        self
    }

    /// Sets the maximum number of connections from one address, or from one /64 network of IPv6; 1,024 by default, but
    /// at most half of [`max_connections`](Self::max_connections). Further ones are closed.
    ///
    /// # Panics
    /// If it is 0.
    #[track_caller]
    pub fn max_connections_per_address(mut self, limit: usize) -> Self {
        assert!(
            limit > 0,
            "max_connections_per_address: a client needs a connection, set 1 or more"
        );
        self.max_connections_per_address = Some(limit);
        self
    }

    /// Sets the proxies in front of the server, whose addresses may have any number of connections. See also
    /// [`Api::trusted_proxies`](crate::Api::trusted_proxies).
    pub fn trusted_proxies(mut self, proxies: impl IntoIterator<Item = IpNetwork>) -> Self {
        self.trusted_proxies.extend(proxies);
        self
    }

    /// Sets the bytes that the bodies of requests and responses, parts of lists and large heads may use together; 64 MiB by
    /// default.
    ///
    /// Bytes that a slow client has not taken yet are counted. If little is free, lists are sent in smaller parts; if there is
    /// none, a request waits for 5 seconds and is then answered with 503. A page of a list can have up to five eighths
    /// of it. Set it before [`state`](Self::state) is called.
    ///
    /// # Panics
    /// Below 1 MiB.
    #[track_caller]
    pub fn memory_budget(mut self, bytes: usize) -> Self {
        assert!(
            bytes >= MIN_MEMORY,
            "memory_budget: lists need parts of some size, set 1 MiB (1,048,576) or more"
        );
        self.state = ServerState::new(bytes);
        self
    }

    /// Logs requests whose head the server itself rejects, with 431, 414 or 400, in the form of
    /// [`Api::access_log`](crate::Api::access_log). They have no method, path and request id, and the client is the address
    /// that is connected.
    pub fn access_log(mut self) -> Self {
        self.has_access_log = true;
        self
    }

    /// Returns the state of the server, which the application can read while it is served.
    pub fn state(&self) -> ServerState {
        self.state.clone()
    }

    pub(super) fn head_limits(&self) -> HeadLimits {
        HeadLimits {
            header_timeout: self.header_timeout,
            keep_alive_timeout: self.keep_alive_timeout,
        }
    }

    pub(super) fn write_limits(&self) -> WriteLimits {
        WriteLimits {
            timeout: self.write_timeout,
            min_rate: self.min_write_rate,
        }
    }

    /// Bounds of connections. Raises the limit of open files, if it must.
    pub(super) fn connection_limits(&self) -> ConnectionLimits {
        let all = connections_within(self.max_connections);
        let per_address = self.max_connections_per_address;
        ConnectionLimits {
            all,
            per_address: per_address.unwrap_or_else(|| DEFAULT_PER_ADDRESS.min(all.div_ceil(2))),
            exempt: self.trusted_proxies.clone(),
        }
    }
}
