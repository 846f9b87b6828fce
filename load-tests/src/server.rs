//! The server as a process.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::failure::Failure;

/// A running `backend`, killed on drop.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts the program. It trusts the addresses that clients report, so that each client can have its own.
    pub(crate) fn start(backend: &Path, database: &str) -> Result<Self, Failure> {
        let mut child = Command::new(backend)
            .args(["serve", "--listen", "127.0.0.1:0", "--database", database])
            .args(["--trusted-proxies", "127.0.0.1"])
            .env("BACKEND_LOG", "error")
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("the server has no output")?;
        let mut lines = BufReader::new(output).lines();
        let line = lines.next().transpose()?.unwrap_or_default();
        // Drains the rest of its output, so that the process never blocks.
        std::thread::spawn(move || lines.for_each(drop));
        let address = line
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split([',', ' ']).next());
        match address.and_then(|address| address.parse().ok()) {
            Some(address) => Ok(Self { child, address }),
            None => {
                child.kill().ok();
                child.wait()?;
                Err(format!("the server did not start: {line:?}").into())
            }
        }
    }

    /// Kills the process by SIGKILL.
    pub(crate) fn kill(&mut self) -> Result<(), Failure> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Number of open files and connections.
    pub(crate) fn open_files(&self) -> Result<u64, Failure> {
        Ok(std::fs::read_dir(format!("/proc/{}/fd", self.child.id()))?.count() as u64)
    }

    /// Resident memory in MiB.
    pub(crate) fn memory(&self) -> Result<u64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes: u64 = line.ok_or("no VmRSS")?.trim().trim_end_matches(" kB").parse()?;
        Ok(kilobytes / 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
