#![doc = include_str!("../README.md")]

mod account;
mod cluster;
mod guard;
mod outcome;
mod programs;

pub use account::{is_root, succeeds};
pub use cluster::{Cluster, ClusterSettings, FrozenCluster};
pub use outcome::Outcome;
pub use programs::Programs;
