//! A PostgreSQL server that the test may stop.

use std::path::Path;

use private_postgres::{Cluster, ClusterSettings, Programs};

use crate::support::database::is_postgres;

/// Starts a PostgreSQL server for one test. `None` if the tests run on SQLite.
pub fn own_server() -> Option<Cluster> {
    if !is_postgres() {
        return None;
    }
    let programs = Programs::find().expect(
        "this test starts a PostgreSQL server of its own, also if TEST_POSTGRES_URL names one, and this machine has no \
         programs for it: install PostgreSQL (on Debian the package `postgresql`)",
    );
    let settings = ClusterSettings {
        // Committed rows must survive an immediate shutdown of the server.
        lines: "synchronous_commit = on\n".to_owned(),
        ..ClusterSettings::default()
    };
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    Some(Cluster::start(target, &programs, &settings).unwrap())
}
