//! `cargo xtask browser`: runs the tests of the pages in Chromium.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use private_postgres::{ClusterSettings, succeeds};

use crate::debian::Apt;
use crate::node;
use crate::postgres::{Databases, TestServer};
use crate::workspace::{self, Outcome};

const AXE: &str = "browser-tests/axe";
/// Arguments of `cargo`. The whole workspace is named, since its dependencies are compiled by now: those of one package
/// would be compiled again with fewer features.
const TESTS: [&str; 4] = ["test", "--workspace", "--test", "browser"];
const REMEDY: &str = "install Chromium and its WebDriver (on Debian the packages `chromium` and `chromium-driver`), and call this again";

/// Arguments that leave out the tests that write nothing: what they show does not depend on the database.
const WRITES: [&str; 9] = [
    "--",
    "--skip",
    "harness::",
    "--skip",
    "docs::",
    "--skip",
    "hostile::",
    "--skip",
    "lists::",
];

/// Provides Chromium and axe-core, starts the driver and runs the tests with these arguments on each database.
pub(crate) fn run(root: &Path, databases: Databases, arguments: &[&str]) -> Outcome {
    provide_chromium()?;
    let axe = root.join(AXE);
    node::install(&axe)?;
    let driver = Driver::start()?;
    let call = |database: &str, server: Option<&TestServer>| {
        let screenshots = root.join("target/browser").join(database);
        let mut tests = workspace::cargo(root);
        tests
            .args(TESTS)
            .args(arguments)
            .env("WEBDRIVER_ADDRESS", &driver.address)
            .env("AXE_SCRIPT", axe.join("node_modules/axe-core/axe.min.js"))
            .env("TEST_DATABASE", database)
            .envs(server.map(TestServer::variable))
            .env("SCREENSHOTS", &screenshots);
        println!(
            "the pages on {database}, with screenshots in {}",
            screenshots.display()
        );
        workspace::call(&mut tests)
    };
    if databases.has_sqlite() {
        call("sqlite", None)?;
    }
    if databases.has_postgres() {
        call(
            "postgres",
            Some(&TestServer::provide(root, &ClusterSettings::default())?),
        )?;
    }
    Ok(())
}

/// Runs the scenarios that write on PostgreSQL.
pub(crate) fn writes_on_postgres(root: &Path) -> Outcome {
    run(root, Databases::PostgresOnly, &WRITES)
}

fn provide_chromium() -> Outcome {
    let is_present = || {
        ["chromium", "chromedriver"].map(|program| succeeds(Command::new(program).arg("--version")))
            == [true; 2]
    };
    if is_present() {
        return Ok(());
    }
    println!("Chromium or its driver is not on this machine: installing them");
    let installed = Apt::find().and_then(|apt| apt.install("chromium chromium-driver fonts-dejavu-core"));
    match installed {
        Ok(()) if is_present() => Ok(()),
        Ok(()) => Err(format!(
            "the installed packages have no chromium and chromedriver; {REMEDY}"
        )),
        Err(message) => Err(format!(
            "there is no Chromium or no driver, and they cannot be installed: {message}; {REMEDY}"
        )),
    }
}

/// A running `chromedriver`, killed on drop.
struct Driver {
    child: Child,
    address: String,
    /// The rest of its output, which it must be able to write.
    _output: BufReader<ChildStdout>,
}

impl Driver {
    fn start() -> Outcome<Self> {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start `chromedriver`: {error}; {REMEDY}"))?;
        let output = child.stdout.take().ok_or("`chromedriver` has no output")?;
        let mut output = BufReader::new(output);
        let port = output
            .by_ref()
            .lines()
            .map_while(Result::ok)
            .find_map(|line| port(&line));
        let driver = |port| Self {
            child,
            address: format!("127.0.0.1:{port}"),
            _output: output,
        };
        port.map(driver)
            .ok_or_else(|| format!("`chromedriver` ended before it listened; {REMEDY}"))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the port in the line that the driver prints when it listens.
fn port(line: &str) -> Option<u16> {
    let (_, port) = line.split_once("started successfully on port ")?;
    port.trim_end_matches('.').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_in_the_line_of_success() {
        assert_eq!(
            port("ChromeDriver was started successfully on port 38213."),
            Some(38213)
        );
        assert_eq!(port("Starting ChromeDriver 150.0 on port 0"), None);
    }
}
