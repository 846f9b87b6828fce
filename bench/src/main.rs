//! Compares `backend` with axum and sqlx, and with a hand-written server, on the same data: `cargo xtask bench`.

mod article;
mod driver;
mod limit;
mod listen;
mod outcome;
mod report;
mod with_sqlx;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::outcome::Failure;

/// Allocator of `backend`, so that no server has an advantage.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures the three servers
    Run(Box<driver::Options>),
    /// Serves articles with axum and sqlx
    ServeSqlx(Serve),
    /// Serves articles with axum and a native driver, with all JSON written by hand
    ServeLimit(Serve),
}

#[derive(clap::Args)]
struct Serve {
    /// `sqlite:FILE` or `postgres://..`
    #[arg(long)]
    database: String,
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
    match runtime.block_on(run(Cli::parse().command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bench: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(options) => driver::run(*options).await,
        Command::ServeSqlx(serve) => listen::serve(with_sqlx::router(&serve.database).await?).await,
        Command::ServeLimit(serve) => listen::serve(limit::router(&serve.database).await?).await,
    }
}
