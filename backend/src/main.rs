//! The program: logs, and the command line.

use std::io::IsTerminal;
use std::process::ExitCode;

use backend::command::Cli;
use clap::Parser;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Requests take and give back small pieces of memory on several threads, which this does in a third of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let levels = std::env::var("BACKEND_LOG").unwrap_or_else(|_| "info".to_owned());
    let filter = levels.parse::<Targets>().unwrap_or_else(|error| {
        eprintln!(
            "BACKEND_LOG={levels} is not understood ({error}): write `info`, or `warn,model_resource=debug`"
        );
        Targets::new().with_default(LevelFilter::INFO)
    });
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
