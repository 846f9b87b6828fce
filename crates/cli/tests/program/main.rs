//! The command line of a small application, run in processes of their own.

mod accounts;
mod audit;
mod commands;
mod library;
#[expect(clippy::unwrap_used, reason = "a test that panics has failed")]
mod migrations;
mod new_application;
mod serving;
mod settings;
#[expect(clippy::unwrap_used, reason = "a test that panics has failed")]
mod shared_migrations;
#[cfg(unix)]
#[expect(clippy::unwrap_used, reason = "a test that panics has failed")]
mod terminal;

use std::process::ExitCode;

/// The program that the other tests start, with its arguments in an environment variable.
#[test]
#[ignore = "the other tests start it"]
fn program() {
    let arguments = std::env::var(library::ARGUMENTS).expect("started by another test");
    let arguments: Vec<String> = arguments.split(library::SEPARATOR).map(str::to_owned).collect();
    if std::env::var_os(library::WAITS).is_some() {
        std::io::stdin()
            .read_line(&mut String::new())
            .expect("a line of input");
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let manage = migrations::manage().unwrap_or_else(library::manage);
    let code = runtime.block_on(manage.run_from(arguments));
    std::process::exit(if code == ExitCode::SUCCESS { 0 } else { 1 });
}
