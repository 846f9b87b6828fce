//! Serving an application on a socket.

mod header_limit;
mod serving;

pub use serving::{Application, Server, serve, shutdown_signal};
