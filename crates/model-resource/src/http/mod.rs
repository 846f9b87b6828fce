//! HTTP: the tower service of an api, request timeouts, CORS and client addresses.

mod application;
mod background;
mod cache_directive;
mod client_address;
mod completion;
mod compression;
mod cors;
mod drain;
#[cfg(feature = "compression")]
mod encoder_memory;
mod head;
mod memory;
mod memory_body;
mod quality;
mod request_id;
mod service;
#[cfg(any(feature = "openapi", feature = "pages"))]
mod service_link;
mod timeout;
mod validity;
mod vary;
mod whole_body;

pub use client_address::{ForwardedHeader, IpNetwork};
pub use cors::{Cors, Origin};
pub use service::ApiService;

pub(crate) use background::BackgroundTasks;
pub(crate) use cache_directive::has_directive;
pub(crate) use client_address::{TrustedProxies, client_network, peer, spawn_background, with_connection};
pub(crate) use completion::ResponseSettings;
#[cfg(any(feature = "compression", feature = "docs"))]
pub(crate) use compression::Coding;
#[cfg(feature = "compression")]
pub(crate) use compression::{Decoder, Uncompressed};
pub(crate) use cors::CorsPolicy;
pub(crate) use memory::{MEMORY_TIMEOUT, MemoryBudget, Reservation, SMALL};
pub(crate) use memory_body::{Effect, count_body, counted};
pub(crate) use quality::parse_quality;
pub(crate) use service::UnknownUrls;
pub(crate) use timeout::{LazyTimer, MAX_TIMEOUT, Timeout};
pub(crate) use vary::vary_by;
pub(crate) use whole_body::take_whole;
