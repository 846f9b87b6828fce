//! HTTP server.

mod disconnect;
mod header_timeout;
mod serving;

pub use serving::{HttpService, Server, serve, shutdown_signal};
