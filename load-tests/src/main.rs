//! The reference application under attacks.

mod client;
mod database;
mod failure;
mod latencies;
mod options;
mod seed;
mod server;
mod siege;

use std::process::ExitCode;

use crate::options::Options;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match Options::parse(&arguments) {
        Ok(options) => siege::run(&options).await,
        Err(mistake) => Err(mistake),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("load-tests: {failure}");
            ExitCode::FAILURE
        }
    }
}
