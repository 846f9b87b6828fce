//! Serving an application on a socket.

mod header_limit;
mod serving;
mod watched;

pub use serving::{HttpService, Server, serve, shutdown_signal};
