//! A server's process: started, asked for its address, watched, ended.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::outcome::{Failure, Server};

/// Ticks of the processor's clock in `/proc`, a second: fixed on Linux.
const TICKS: f64 = 100.0;

pub(super) struct Process {
    child: Child,
    pub(super) address: String,
}

impl Process {
    pub(super) fn start(server: Server, backend: &Path, database: &str) -> Result<Self, Failure> {
        let own = std::env::current_exe()?;
        let mut command = match server {
            Server::Backend => {
                let mut command = Command::new(backend);
                command.args(["serve", "--listen", "127.0.0.1:0"]);
                command
            }
            Server::Sqlx => subcommand(&own, "serve-sqlx"),
            Server::Limit => subcommand(&own, "serve-limit"),
        };
        command.args(["--database", database]);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let out = child.stdout.take().ok_or("a server has no output")?;
        let mut lines = BufReader::new(out).lines();
        let line = lines.next().transpose()?.unwrap_or_default();
        // What it still prints is read, so that it never waits.
        std::thread::spawn(move || lines.for_each(drop));
        let address = line
            .split_once("http://")
            .map(|(_, rest)| rest.split([',', ' ']).next().unwrap_or(rest));
        match address {
            Some(address) => Ok(Self {
                address: address.to_owned(),
                child,
            }),
            None => {
                child.kill().ok();
                child.wait()?;
                Err(format!("{} did not start", server.name()).into())
            }
        }
    }

    /// Seconds of the processor so far.
    pub(super) fn cpu(&self) -> Result<f64, Failure> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields = stat
            .rsplit_once(')')
            .map(|(_, fields)| fields)
            .ok_or("/proc has no stat")?;
        let mut ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
        let (user, system) = (ticks.next().ok_or("no utime")??, ticks.next().ok_or("no stime")??);
        Ok((user + system) / TICKS)
    }

    /// The most memory it had so far, in MiB.
    pub(super) fn peak(&self) -> Result<f64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .ok_or("no VmHWM")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn subcommand(program: &Path, name: &str) -> Command {
    let mut command = Command::new(program);
    command.arg(name);
    command
}
