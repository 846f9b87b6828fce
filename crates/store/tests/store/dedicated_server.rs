//! A dedicated PostgreSQL server, for tests that would disturb others.

use std::path::Path;

use private_postgres::{Cluster, ClusterSettings, Programs};

use crate::database::is_left_out;

/// Starts a dedicated server; `None` if the tests run without PostgreSQL.
pub(crate) fn dedicated_server(settings: &ClusterSettings) -> Option<Cluster> {
    if is_left_out() {
        return None;
    }
    let cluster = Cluster::start(target(), &programs(), settings);
    Some(cluster.unwrap_or_else(|message| panic!("cannot start a server: {message}")))
}

/// Starts a standby of a server.
pub(crate) fn standby_of(primary: &Cluster) -> Cluster {
    let standby = primary.standby(target(), &programs());
    standby.unwrap_or_else(|message| panic!("cannot start a standby: {message}"))
}

fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn programs() -> Programs {
    Programs::find().expect(
        "this test starts a PostgreSQL server of its own, also if TEST_POSTGRES_URL names one, and this machine has no \
         programs for it: install PostgreSQL (on Debian the package `postgresql`), or set TEST_SQLITE_ONLY=1 to do \
         without PostgreSQL",
    )
}
