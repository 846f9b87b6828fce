//! The command line: the commands of every application, and `seed`.

mod program;
mod seed;

pub use program::{manage, start_log};
