//! The `backend` program as a process.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use model_resource::Store;
use test_support::{Client, TestDatabase};

use crate::support::accounts::admin_token;

/// A running `backend serve`, killed on drop.
pub struct Process {
    pub child: Child,
    pub address: SocketAddr,
    /// A client without a credential.
    pub client: Client,
    database: String,
    first_line: String,
    stdout: BufReader<ChildStdout>,
}

impl Process {
    /// Starts the program on a database and a free port.
    pub fn start(database: &TestDatabase) -> Self {
        Self::start_on(&database.url(), "info")
    }

    /// Starts the program with this log level.
    pub fn start_logging(database: &TestDatabase, level: &str) -> Self {
        Self::start_on(&database.url(), level)
    }

    /// Starts the program on the database at a URL.
    pub fn start_on(url: &str, level: &str) -> Self {
        Self::start_with(url, level, &[])
    }

    /// Starts the program with more arguments.
    pub fn start_with(url: &str, level: &str, arguments: &[&str]) -> Self {
        Self::spawn(url, command().args(arguments).env("BACKEND_LOG", level))
    }

    /// Starts the program with environment variables.
    pub fn start_in(url: &str, variables: &[(&str, &Path)]) -> Self {
        Self::spawn(url, command().envs(variables.iter().copied()))
    }

    fn spawn(url: &str, command: &mut Command) -> Self {
        let mut child = command
            .args(["--database", url])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first_line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut first_line).unwrap();
        let address = first_line
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split(',').next());
        let address: SocketAddr = address
            .unwrap_or_else(|| panic!("no address in {first_line:?}"))
            .parse()
            .unwrap();
        Self {
            child,
            address,
            client: Client::new(address),
            database: url.to_owned(),
            first_line,
            stdout,
        }
    }

    /// Returns a client with an admin's token.
    pub async fn admin(&self) -> Client {
        let store = Store::open(&self.database).await.unwrap();
        self.client.with_token(&admin_token(&store).await)
    }

    /// Sends a signal by its name, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.child.id().to_string())
            .status();
        assert!(status.unwrap().success());
    }

    /// Waits for the end of the program. Returns its exit status and its log.
    pub fn wait(&mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        let mut log = String::new();
        self.child
            .stderr
            .as_mut()
            .unwrap()
            .read_to_string(&mut log)
            .unwrap();
        (status, log)
    }

    /// Returns the output of the program after it has ended.
    pub fn printed(mut self) -> String {
        let mut printed = std::mem::take(&mut self.first_line);
        self.stdout.read_to_string(&mut printed).unwrap();
        printed
    }

    /// Returns the peak memory of the process in KiB.
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    command
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
