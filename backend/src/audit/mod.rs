//! The access audit: requests every URL by every method as every caller, each time on a new database.

mod actors;
mod fixture;
mod matrix;
mod requests;
mod run;
mod targets;

pub use matrix::{Matrix, MatrixCell, MatrixLine};
pub use run::walk;
