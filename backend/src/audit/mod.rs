//! Who may do what: every URL and method, asked by everyone who could ask, each time on a database of its own.

mod fixture;
mod matrix;
mod people;
mod probes;
mod targets;
mod walk;

pub use matrix::{Matrix, MatrixCell, MatrixLine};
pub use walk::walk;
