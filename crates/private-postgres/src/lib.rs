//! A PostgreSQL server of one's own, made by the programs of the machine, that ends with whoever started it.
//!
//! `cargo xtask` starts one for all tests, and tests that stop their server or need it encrypted start another.

mod account;
mod cluster;
mod guard;
mod outcome;
mod programs;

pub use account::{is_root, succeeds};
pub use cluster::{Cluster, Settings};
pub use outcome::Outcome;
pub use programs::Programs;
