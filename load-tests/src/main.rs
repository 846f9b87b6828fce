//! The reference application under attacks, crashes and long load.

mod client;
mod crash;
mod database;
mod failure;
mod latencies;
mod seed;
mod server;
mod siege;
mod soak;

use std::process::ExitCode;

use crate::crash::CrashOptions;
use crate::failure::Failure;
use crate::siege::SiegeOptions;
use crate::soak::SoakOptions;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("load-tests: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["crash", rest @ ..] => crash::run(&CrashOptions::parse(rest)?).await,
        ["soak", rest @ ..] => soak::run(&SoakOptions::parse(rest)?).await,
        ["siege", rest @ ..] => siege::run(&SiegeOptions::parse(rest)?).await,
        _ => Err("usage: load-tests siege|crash|soak ..".into()),
    }
}
