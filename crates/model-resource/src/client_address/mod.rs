//! Where a request comes from: the other end of its connection, or what proxies that are trusted say of it.

mod network;
mod peer;
mod proxies;

pub use network::IpNetwork;
pub(crate) use peer::{peer, with_peer};
pub use proxies::ForwardedHeader;
pub(crate) use proxies::TrustedProxies;
