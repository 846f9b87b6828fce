//! A private PostgreSQL server, created with the programs installed on the machine, which ends with its owner.
//!
//! `cargo xtask` starts one for all tests. Tests that stop their server or need TLS start another.

mod account;
mod cluster;
mod guard;
mod outcome;
mod programs;

pub use account::{is_root, succeeds};
pub use cluster::{Cluster, ClusterSettings, FrozenCluster};
pub use outcome::Outcome;
pub use programs::Programs;
