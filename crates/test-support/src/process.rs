//! A server program as a process.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;

use crate::client::Client;

/// A running server program, killed on drop.
pub struct Process {
    /// The process itself.
    pub child: Child,
    /// The address that the program has printed.
    pub address: SocketAddr,
    /// A client without a credential.
    pub client: Client,
    first_line: String,
    stdout: BufReader<ChildStdout>,
    /// Reads the log all the time, because a program whose log is full waits.
    log: Option<JoinHandle<String>>,
}

impl Process {
    /// Starts a program whose first line of output contains its URL, and waits for that line.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut log = Vec::new();
            stderr.read_to_end(&mut log).unwrap();
            String::from_utf8(log).unwrap()
        });
        let mut first_line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut first_line).unwrap();
        let address = first_line
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split(',').next())
            .map(str::trim_end);
        let Some(address) = address else {
            child.kill().ok();
            panic!(
                "no address in {first_line:?}; the log is: {}",
                log.join().unwrap()
            );
        };
        let address: SocketAddr = address.parse().unwrap();
        Self {
            child,
            address,
            client: Client::new(address),
            first_line,
            stdout,
            log: Some(log),
        }
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
        let log = self.log.take().map(|log| log.join().unwrap());
        (status, log.unwrap_or_default())
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

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
