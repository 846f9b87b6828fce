//! The program: logs, and the command line.

use std::io::IsTerminal;
use std::process::ExitCode;

use backend::command::Cli;
use clap::Parser;
use tracing_subscriber::EnvFilter;

/// Requests take and give back small pieces of memory on several threads, which this does in a third of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_env("BACKEND_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .init();
    match Cli::parse().run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("backend: {failure}");
            ExitCode::FAILURE
        }
    }
}
