//! The project's automation, one command each.

mod bench;
mod browser;
mod build_time;
mod commands;
mod conformance;
mod debian;
mod features;
mod layers;
mod links;
mod new_application;
mod node;
mod pooler;
mod postgres;
mod proxies;
mod release;
mod scratch;
mod server;
mod sizes;
mod source;
mod spec;
mod test;
mod trials;
mod words;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

commands:
  test     runs every check that a change must pass, on SQLite and PostgreSQL;
           --sqlite-only excludes PostgreSQL, --keep-going runs the steps after a failure, too
  postgres COMMAND
           runs a command with a PostgreSQL server for tests, such as `cargo test -p backend`
  layers   rejects upward and cyclic imports between modules
  sizes    checks that type names are unique, and functions, files and the reference application short
  links    checks the links, titles and introductions of the documentation pages
  spec     checks that every requirement has a test and every test a requirement
  words [PATH..]
           checks that comments and pages use the field's terms
  conformance
           runs clients of other frameworks against backend; needs Node, npm and Python;
           --long generates more requests
  browser [--database sqlite|postgres|both] [ARGUMENT..]
           runs the tests of the pages in Chromium, with arguments for `cargo test`; needs Chromium, its
           WebDriver, Node and npm
  proxies  restarts three processes behind HAProxy and nginx under load, and tests a cache; needs both and PostgreSQL
  pooler   runs tests behind PgBouncer in both modes; needs it and PostgreSQL;
           --measure measures what it costs
  new-application
           does what a new user does: writes an application, adds resources, makes migrations, tests, audits and
           serves it; --fresh begins with `cargo install` and nothing compiled, prints the time of each command, and
           fails after more than ten minutes
  commands [PAGE..]
           runs the shell commands of README.md, of the pages below docs, and of the READMEs of crates and examples, or
           of the pages with these words in their path
  release  packages the crates as for publishing, compiles each from its package, checks the licences of dependencies,
           and compares the public API with the last release; installs cargo-deny and cargo-semver-checks
  build-time
           measures a cold debug build of the README's application, and the build after a change
  siege    measures well-behaved clients while attacks run against backend, on both databases
           (--database, --attack, --seconds, --articles, --comments, --slow-readers, --page, --max-ratio, --report)
  crash    kills backend and its database under writes, and compares what is stored with what was acknowledged
           (--kills, --database, --seed; --crash server|database|both; with --retries keyed, writes have a key and are
           repeated until acknowledged)
  soak     runs mixed load with faults of the database, and checks errors, memory and open files
           (--minutes, --database, --seed)
  bench    compares backend with axum and sqlx, and with the limit (--help for its options);
           --baseline COMMIT compares this commit with another one,
           --pure runs the benchmarks without server and database
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = workspace::root();
    let outcome = match words.as_slice() {
        ["test", options @ ..] => test::run_with(&root, options),
        ["layers"] => layers::run(&root),
        ["sizes"] => sizes::run(&root),
        ["links"] => links::run(&root),
        ["spec"] => spec::run(&root),
        ["words", paths @ ..] => words::run(&root, paths),
        ["postgres", command @ ..] => postgres::run(&root, command),
        ["proxies"] => proxies::run(&root),
        ["pooler"] => pooler::run(&root),
        ["pooler", "--measure"] => pooler::measure(&root),
        ["commands", pages @ ..] => commands::run(&root, pages),
        ["new-application"] => new_application::run(&root),
        ["new-application", "--fresh"] => new_application::run_fresh(&root),
        ["build-time"] => build_time::run(&root),
        ["release"] => release::run(&root),
        ["conformance"] => conformance::run(&root, conformance::Length::Short),
        ["conformance", "--long"] => conformance::run(&root, conformance::Length::Long),
        ["browser", rest @ ..] => postgres::Databases::take(rest)
            .and_then(|(databases, arguments)| browser::run(&root, databases, arguments)),
        [trial @ ("siege" | "crash" | "soak"), rest @ ..] => trials::run(&root, trial, rest),
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
