//! Limits and timeouts of the server, as options of `serve`.

use std::time::Duration;

use clap::{Args, value_parser};
use model_resource::Server;

use crate::manage::settings::Settings;

/// Bytes of a KiB.
const KIB: usize = 1024;
/// Bytes of a MiB.
const MIB: usize = 1024 * KIB;
/// Maximum of `max_headers`, because each request allocates memory for this number.
const MAX_HEADERS: i64 = 10_000;

// Limits and timeouts. This is not a doc comment, which would replace the help of the program.
#[derive(Args)]
#[command(next_help_heading = "Limits and timeouts")]
pub(crate) struct Limits {
    /// Maximum connections of clients; that of the application by default, or 10,000, or as many as the limit of open
    /// files permits
    #[arg(long, env = "MAX_CONNECTIONS", value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    max_connections: Option<u32>,
    /// Maximum connections of one client address, except those of trusted proxies; that of the application by default, or
    /// 1,024, at most half of all
    #[arg(
        long,
        env = "MAX_CONNECTIONS_PER_ADDRESS",
        value_name = "NUMBER",
        value_parser = value_parser!(u32).range(1..)
    )]
    max_connections_per_address: Option<u32>,
    /// Memory in MiB for bodies of requests, responses that clients have not taken, parts of lists and large headers
    /// together; that of the application by default, or 64
    #[arg(long, env = "MEMORY_BUDGET_MIB", value_name = "MIB", value_parser = value_parser!(u32).range(1..))]
    memory_budget_mib: Option<u32>,
    /// Maximum size of a request body in KiB, 413 beyond; that of the application by default, or 2,048
    #[arg(long, env = "BODY_LIMIT_KIB", value_name = "KIB", value_parser = value_parser!(u32).range(1..))]
    body_limit_kib: Option<u32>,
    /// Maximum size of a request line with its headers in KiB, 431 beyond; that of the application by default, or 128
    #[arg(long, env = "MAX_HEADER_KIB", value_name = "KIB", value_parser = value_parser!(u32).range(1..))]
    max_header_kib: Option<u32>,
    /// Maximum number of a request's headers, 431 beyond; that of the application by default, or 100
    #[arg(long, env = "MAX_HEADERS", value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=MAX_HEADERS))]
    max_headers: Option<u32>,
    /// Searches that one caller may run at the same time; 0 for any number; that of the application by default, or 4
    #[arg(long, env = "SEARCHES_PER_CALLER", value_name = "NUMBER")]
    searches_per_caller: Option<u32>,
    /// Seconds in which a client sends the headers of a request; that of the application by default, or 10
    #[arg(
        long,
        env = "HEADER_TIMEOUT_SECONDS",
        value_name = "SECONDS",
        value_parser = value_parser!(u64).range(1..)
    )]
    header_timeout_seconds: Option<u64>,
    /// Seconds for which an idle connection is kept, longer than a proxy keeps it; that of the application by default,
    /// or 75
    #[arg(
        long,
        env = "KEEP_ALIVE_TIMEOUT_SECONDS",
        value_name = "SECONDS",
        value_parser = value_parser!(u64).range(1..)
    )]
    keep_alive_timeout_seconds: Option<u64>,
    /// Seconds in which a request is read and answered, 408 or 503 beyond; that of the application by default, or 30
    #[arg(
        long,
        env = "REQUEST_TIMEOUT_SECONDS",
        value_name = "SECONDS",
        value_parser = value_parser!(u64).range(1..)
    )]
    request_timeout_seconds: Option<u64>,
    /// Seconds in which a client receives one part of a response; that of the application by default, or 30
    #[arg(
        long,
        env = "WRITE_TIMEOUT_SECONDS",
        value_name = "SECONDS",
        value_parser = value_parser!(u64).range(1..)
    )]
    write_timeout_seconds: Option<u64>,
    /// Bytes per second at which a client receives a response on average; 0 for any rate; that of the application by
    /// default, or 1,024
    #[arg(long, env = "MIN_WRITE_RATE", value_name = "BYTES")]
    min_write_rate: Option<u32>,
    /// Seconds for which open requests may finish after the grace period; that of the application by default, or 30
    #[arg(long, env = "SHUTDOWN_TIMEOUT_SECONDS", value_name = "SECONDS")]
    shutdown_timeout_seconds: Option<u64>,
}

impl Limits {
    /// Applies the limits of connections to a server.
    pub(crate) fn apply(&self, server: Server) -> Server {
        let server = set(server, self.max_connections, |server, max| {
            server.max_connections(max as usize)
        });
        let server = set(server, self.max_connections_per_address, |server, max| {
            server.max_connections_per_address(max as usize)
        });
        let server = set(server, self.memory_budget_mib, |server, mib| {
            server.memory_budget((mib as usize).saturating_mul(MIB))
        });
        let server = set(server, self.max_header_kib, |server, kib| {
            server.max_header_bytes((kib as usize).saturating_mul(KIB))
        });
        let server = set(server, self.max_headers, |server, max| {
            server.max_headers(max as usize)
        });
        let server = set(
            server,
            seconds(self.header_timeout_seconds),
            Server::header_timeout,
        );
        let server = set(
            server,
            seconds(self.keep_alive_timeout_seconds),
            Server::keep_alive_timeout,
        );
        let server = set(server, seconds(self.write_timeout_seconds), Server::write_timeout);
        let server = set(server, self.min_write_rate, Server::min_write_rate);
        set(
            server,
            seconds(self.shutdown_timeout_seconds),
            Server::shutdown_timeout,
        )
    }

    /// Adds the limits of requests to the settings of the api.
    pub(crate) fn add_to(&self, settings: Settings) -> Settings {
        Settings {
            timeout: seconds(self.request_timeout_seconds),
            body_limit: self.body_limit_kib.map(|kib| (kib as usize).saturating_mul(KIB)),
            searches_per_caller: self.searches_per_caller,
            ..settings
        }
    }
}

fn seconds(number: Option<u64>) -> Option<Duration> {
    number.map(Duration::from_secs)
}

/// Sets a part of a server, if there is a value.
fn set<T>(server: Server, value: Option<T>, change: impl FnOnce(Server, T) -> Server) -> Server {
    match value {
        Some(value) => change(server, value),
        None => server,
    }
}
