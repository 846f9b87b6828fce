//! The tests behind PgBouncer, in both modes.

use std::path::Path;

use private_postgres::ClusterSettings;

use super::pgbouncer::{PgBouncer, PoolMode, provide};
use crate::postgres::TestServer;
use crate::workspace::{self, Outcome};

/// Environment variable with the URL that applications under test use.
const VARIABLE: &str = "TEST_POOLER_URL";
/// Arguments of `cargo` for the tests of poolers. The whole workspace is named, since it is compiled by now.
const TESTS: [&str; 4] = ["test", "--workspace", "--test", "pooler"];
/// Other tests that run in transaction mode, chosen to be short.
const OTHER_TESTS: [&str; 11] = [
    "test",
    "--workspace",
    "--test",
    "spec",
    "--test",
    "lists",
    "--",
    "bulk::",
    "choosing_the_operation::",
    "databases::",
    "typed_queries::",
];
/// Arguments of `cargo` for the measurement.
const MEASUREMENT: [&str; 8] = [
    "test",
    "--release",
    "--package",
    "backend",
    "--test",
    "pooler",
    "--",
    "--ignored",
];

/// Provides PgBouncer and PostgreSQL, and runs the tests.
pub(crate) fn run(root: &Path) -> Outcome {
    provide()?;
    let server = TestServer::provide(root, &ClusterSettings::default())?;
    let direct = server.variable().1;
    let pooler = PgBouncer::start(direct, PoolMode::Session)?;
    cargo(root, &server, &pooler.url(), &TESTS)?;
    drop(pooler);
    let pooler = PgBouncer::start(direct, PoolMode::Transaction)?;
    let url = format!("{}?prepare=off", pooler.url());
    cargo(root, &server, &url, &TESTS)?;
    cargo(root, &server, &url, &OTHER_TESTS)
}

/// Measures requests with and without PgBouncer, in a release build.
pub(crate) fn measure(root: &Path) -> Outcome {
    provide()?;
    let server = TestServer::provide(root, &ClusterSettings::durable())?;
    let direct = server.variable().1;
    let session = PgBouncer::start(direct, PoolMode::Session)?;
    let transaction = PgBouncer::start(direct, PoolMode::Transaction)?;
    let of_transaction = transaction.url();
    for (name, url) in [
        ("direct", direct.to_owned()),
        ("direct, prepare=off", format!("{direct}?prepare=off")),
        ("PgBouncer, session mode", session.url()),
        (
            "PgBouncer, transaction mode, prepare=off",
            format!("{of_transaction}?prepare=off"),
        ),
    ] {
        println!("{name}");
        let arguments = [MEASUREMENT.as_slice(), &["--nocapture"]].concat();
        cargo(root, &server, &url, &arguments)?;
    }
    Ok(())
}

fn cargo(root: &Path, server: &TestServer, url: &str, arguments: &[&str]) -> Outcome {
    let mut tests = workspace::cargo(root);
    let variables = [server.variable(), ("TEST_DATABASE", "postgres"), (VARIABLE, url)];
    workspace::call(tests.args(arguments).envs(variables))
}
