//! Who may do what: every URL and method, asked by everyone who could ask, each time on a database of its own.

mod actors;
mod fixture;
mod matrix;
mod requests;
mod run;
mod targets;

pub use matrix::{Matrix, MatrixCell, MatrixLine};
pub use run::walk;
