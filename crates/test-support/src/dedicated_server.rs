//! A PostgreSQL server that the test may stop.

use std::path::Path;

use private_postgres::{Cluster, ClusterSettings, Programs};

use crate::database::is_postgres;

/// Starts a PostgreSQL server for one test, with its files in a folder such as `env!("CARGO_TARGET_TMPDIR")`. Returns
/// `None` if the tests run on SQLite.
pub fn dedicated_server(folder: &Path) -> Option<Cluster> {
    dedicated_server_with(
        folder,
        &ClusterSettings {
            // Committed rows must survive an immediate shutdown of the server.
            lines: "synchronous_commit = on\n".to_owned(),
            ..ClusterSettings::default()
        },
    )
}

/// Starts a PostgreSQL server with settings for one test.
pub fn dedicated_server_with(folder: &Path, settings: &ClusterSettings) -> Option<Cluster> {
    if !is_postgres() {
        return None;
    }
    let programs = Programs::find().expect(
        "this test starts a PostgreSQL server of its own, also if TEST_POSTGRES_URL names one, and this machine has no \
         programs for it: install PostgreSQL (on Debian the package `postgresql`)",
    );
    Some(Cluster::start(folder, &programs, settings).unwrap())
}
