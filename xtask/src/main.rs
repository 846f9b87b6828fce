//! The habits of the project, one command each.

mod bench;
mod conformance;
mod debian;
mod layers;
mod postgres;
mod readme;
mod scratch;
mod spec;
mod test;
mod words;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

commands:
  test     everything that must pass before a change is shared, on SQLite and PostgreSQL;
           --sqlite-only leaves PostgreSQL out
  postgres COMMAND
           runs a command with a PostgreSQL server for tests, such as `cargo test -p backend`
  layers   no import between modules runs upwards or in a circle
  spec     every requirement has a test, every test a requirement
  words [PATH..]
           comments and pages use the field's terms
  conformance
           clients of other frameworks, by their own code against backend; needs Node and npm
  readme   the shell commands in README.md work as they stand there
  bench    backend beside axum and sqlx, and beside the limit (--help for its options);
           --baseline COMMIT for this commit beside another one,
           --pure for the parts without server and database
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = workspace::root();
    let outcome = match words.as_slice() {
        ["test"] => test::run(&root, test::Databases::Both),
        ["test", "--sqlite-only"] => test::run(&root, test::Databases::SqliteOnly),
        ["layers"] => layers::run(&root),
        ["spec"] => spec::run(&root),
        ["words", paths @ ..] => words::run(&root, paths),
        ["postgres", command @ ..] => postgres::run(&root, command),
        ["readme"] => readme::run(&root),
        ["conformance"] => conformance::run(&root),
        ["bench", rest @ ..] => bench::run(&root, rest),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}: {message}", words[0]);
            ExitCode::FAILURE
        }
    }
}
