//! Who may do what: every URL and method, asked by everyone who could ask, each time on a database of its own.

mod fixture;
mod matrix;
mod people;
mod probes;
mod targets;
mod walk;

pub use matrix::{Line, Matrix, Outcome};
pub use walk::walk;
