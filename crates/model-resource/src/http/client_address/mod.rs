//! Client address: the peer of the connection, or the address that trusted proxies report.

mod client_network;
mod network;
mod peer;
mod proxies;

pub use network::IpNetwork;
pub use proxies::ForwardedHeader;

pub(crate) use client_network::client_network;
pub(crate) use peer::{peer, spawn_background, with_connection};
pub(crate) use proxies::TrustedProxies;
