//! Content codings (RFC 9110, section 8.4): compressed responses and request bodies.

#[cfg(any(feature = "compression", feature = "docs"))]
mod coding;
#[cfg(feature = "compression")]
mod compressed_body;
#[cfg(feature = "compression")]
mod decode;
#[cfg(feature = "compression")]
mod encoder;
#[cfg(feature = "compression")]
mod response;

#[cfg(any(feature = "compression", feature = "docs"))]
pub(crate) use coding::Coding;
#[cfg(feature = "compression")]
pub(crate) use decode::Decoder;
#[cfg(feature = "compression")]
pub(crate) use response::{Uncompressed, compress};
