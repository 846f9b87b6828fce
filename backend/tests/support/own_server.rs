//! A PostgreSQL server of the test's own, which it may stop.

use std::path::Path;

use private_postgres::{Cluster, Programs, Settings};

use crate::support::database::is_postgres;

/// A server of the test's own; none if the tests run on SQLite, which has no server.
pub fn own_server() -> Option<Cluster> {
    if !is_postgres() {
        return None;
    }
    let programs = Programs::find().expect(
        "this test starts a PostgreSQL server of its own, also if TEST_POSTGRES_URL names one, and this machine has no \
         programs for it: install PostgreSQL (on Debian the package `postgresql`)",
    );
    let settings = Settings {
        // What is committed stays, however roughly the server is stopped.
        lines: "synchronous_commit = on\n".to_owned(),
        ..Settings::default()
    };
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    Some(Cluster::start(target, &programs, &settings).unwrap())
}
