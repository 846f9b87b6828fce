//! Serving an application on a socket.

mod header_limit;
mod serving;
mod watched;

pub use serving::{Application, Server, serve, shutdown_signal};
