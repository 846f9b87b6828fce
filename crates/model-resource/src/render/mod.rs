//! Rendering: serialization of response data, chosen by content negotiation.

mod accept;
#[cfg(feature = "csv")]
mod csv;
mod custom;
mod flat_format;
mod json;
mod list_format;
mod mapped;
mod ndjson;
mod negotiation;
mod objects;
mod page_parts;
mod problem;
mod reading;
mod representation;
mod representations;
mod stream;

pub use representation::Representation;
pub use representations::Representations;

pub(crate) use accept::Accept;
pub(crate) use json::{JsonRepresentation, whole_value};
pub(crate) use negotiation::{Negotiated, Negotiation};
pub(crate) use problem::{ErrorMap, ErrorStyle};
