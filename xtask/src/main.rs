//! The habits of the project, one command each.

mod bench;
mod layers;
mod readme;
mod scratch;
mod spec;
mod test;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

commands:
  test     everything that must pass before a change is shared
  layers   no import between modules runs upwards or in a circle
  spec     every requirement has a test, every test a requirement
  readme   the shell commands in README.md work as they stand there
  bench    backend beside axum and sqlx, and beside the limit (--help for its options)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.as_slice() {
        [command, rest @ ..] if rest.is_empty() || command == "bench" => (command.as_str(), rest),
        _ => ("", &[][..]),
    };
    let root = workspace::root();
    let outcome = match command {
        "test" => test::run(&root),
        "layers" => layers::run(&root),
        "spec" => spec::run(&root),
        "readme" => readme::run(&root),
        "bench" => bench::run(&root, rest),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{command}: {message}");
            ExitCode::FAILURE
        }
    }
}
