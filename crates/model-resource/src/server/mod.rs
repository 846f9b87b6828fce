//! HTTP server.

mod client_stream;
mod connection;
mod connection_list;
mod file_limit;
mod head_timer;
mod rejected_head;
mod serving;
mod settings;
mod unsent;
mod write_pace;

pub use serving::{HttpService, Shutdown, serve, shutdown_signal};
pub use settings::Server;

pub(crate) use serving::serve_until;
