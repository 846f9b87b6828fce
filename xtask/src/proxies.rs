//! `cargo xtask proxies`: restarts three processes behind HAProxy and behind nginx under load, and tests a cache and the nginx
//! of the guide.

use std::path::Path;
use std::process::Command;

use private_postgres::{ClusterSettings, succeeds};

use crate::debian::Apt;
use crate::postgres::TestServer;
use crate::workspace::{self, Outcome};

/// Arguments of `cargo` for the tests. One at a time, because each loads the machine. The names leave out those of the other
/// target, which is named for its features.
const TESTS: [&str; 7] = [
    "--",
    "--nocapture",
    "--test-threads",
    "1",
    "a_rolling_restart",
    "a_cache_never",
    "the_nginx_of",
];
const REMEDY: &str =
    "install HAProxy and nginx (on Debian the packages `haproxy` and `nginx-light`), and call this again";

/// Provides the proxies and PostgreSQL, and runs the tests.
pub(crate) fn run(root: &Path) -> Outcome {
    provide_proxies()?;
    let server = TestServer::provide(root, &ClusterSettings::default())?;
    let mut tests = workspace::cargo(root);
    tests
        .args(["test", "--workspace", "--test", "proxies"])
        .args(workspace::COMMON_FEATURES)
        .args(TESTS)
        .envs([server.variable(), ("TEST_DATABASE", "postgres")]);
    workspace::call(&mut tests)
}

fn provide_proxies() -> Outcome {
    if is_present() {
        return Ok(());
    }
    println!("HAProxy or nginx is not on this machine: installing them");
    let installed = Apt::find().and_then(|apt| apt.install("haproxy nginx-light"));
    match installed {
        Ok(()) if is_present() => Ok(()),
        Ok(()) => Err(format!(
            "the installed packages have no haproxy and nginx; {REMEDY}"
        )),
        Err(message) => Err(format!(
            "there is no HAProxy or no nginx, and they cannot be installed: {message}; {REMEDY}"
        )),
    }
}

/// Whether both programs start. On Debian they are in a folder that is not in the path of ordinary users.
fn is_present() -> bool {
    let path = std::env::var("PATH").unwrap_or_default();
    ["haproxy", "nginx"].iter().all(|program| {
        let mut command = Command::new(program);
        succeeds(command.arg("-v").env("PATH", format!("{path}:/usr/sbin")))
    })
}
