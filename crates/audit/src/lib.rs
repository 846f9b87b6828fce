#![doc = include_str!("../README.md")]

#[cfg(feature = "accounts")]
mod accounts;
mod audit;
mod bodies;
mod copies;
mod error;
mod fixture;
mod generate;
mod matrix;
mod page;
mod requests;
mod run;
mod targets;

pub use audit::{Audit, Audited, AuditedApi};
pub use error::AuditError;
pub use fixture::Fixture;
pub use matrix::{Matrix, MatrixCell, MatrixLine};
#[doc(hidden)]
pub use page::assert_page;
pub use run::access_matrix;
