//! Tests of the examples in Django REST framework, which the READMEs of ours compare themselves with.

use std::path::Path;
use std::process::Command;

use private_postgres::ClusterSettings;

use super::python;
use crate::postgres::{Databases, TestServer};
use crate::workspace::{self, Outcome};

/// Runs the tests of both on SQLite and on PostgreSQL.
pub(super) fn run(root: &Path, databases: Databases) -> Outcome {
    for example in ["blog", "library"] {
        let folder = root.join("examples").join(example).join("django");
        let python = python::environment(root, "django", &folder)?;
        let test = |database: Option<&str>| {
            let mut tests = Command::new(&python);
            tests.args(["-B", "manage.py", "test"]).current_dir(&folder);
            tests.env("DESK_KEY", "secret").env_remove("DATABASE_URL");
            tests.envs(database.map(|url| ("DATABASE_URL", url)));
            workspace::call(&mut tests)
        };
        test(None)?;
        if databases.has_postgres() {
            let server = TestServer::provide(root, &ClusterSettings::default())?;
            server.with_database("test_django", |url| test(Some(url)))?;
        }
    }
    Ok(())
}
