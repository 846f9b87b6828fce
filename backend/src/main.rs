//! The program: logs, and the command line.

use std::io::IsTerminal;
use std::process::ExitCode;

use backend::command::Cli;
use clap::Parser;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Requests take and give back small pieces of memory on several threads, which this does in a third of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let levels = std::env::var("BACKEND_LOG")
        .ok()
        .filter(|levels| !levels.is_empty());
    let filter = match backend::command::levels(levels.as_deref().unwrap_or("info")) {
        Ok(filter) => filter,
        Err(mistake) => {
            eprintln!("backend: BACKEND_LOG: {mistake}");
            return ExitCode::FAILURE;
        }
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(filter).init();
    match Cli::parse().run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("backend: {failure}");
            ExitCode::FAILURE
        }
    }
}
