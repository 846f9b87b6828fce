//! A server program as a process.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::client::Client;

/// Maximum time for what a program does at once, on a machine that is busy with other tests.
const MAX_WAIT: Duration = Duration::from_secs(120);
/// Time between two looks at a program.
const PAUSE: Duration = Duration::from_millis(10);

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
    log: ProcessLog,
}

/// Log of a program. A thread reads it all the time, because a program whose log is full waits.
struct ProcessLog {
    text: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a program whose first line of output contains its URL, and waits for that line.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = ProcessLog::read(child.stderr.take().unwrap());
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
            panic!("no address in {first_line:?}; the log is: {}", log.end());
        };
        let address: SocketAddr = address.parse().unwrap();
        Self {
            child,
            address,
            client: Client::new(address),
            first_line,
            stdout,
            log,
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
    ///
    /// # Panics
    /// If it does not end.
    pub fn wait(&mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + MAX_WAIT;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                Instant::now() < deadline,
                "the program has not ended; the log is: {}",
                self.log.so_far()
            );
            std::thread::sleep(PAUSE);
        };
        (status, self.log.end())
    }

    /// Returns the address in the line of the log that contains a text, once there is one.
    ///
    /// # Panics
    /// If there is none, or the line has no address.
    pub fn logged_address(&self, text: &str) -> SocketAddr {
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            let log = self.log.so_far();
            // The last line may be incomplete.
            let lines = log.rsplit_once('\n').map_or("", |(lines, _)| lines);
            if let Some(line) = lines.lines().find(|line| line.contains(text)) {
                let address = line
                    .split("address=")
                    .nth(1)
                    .and_then(|rest| rest.split(' ').next());
                let address = address.and_then(|address| address.parse().ok());
                return address.unwrap_or_else(|| panic!("no address in {line:?}"));
            }
            assert!(Instant::now() < deadline, "no {text:?} in the log: {log}");
            std::thread::sleep(PAUSE);
        }
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

impl ProcessLog {
    fn read(mut stderr: ChildStderr) -> Self {
        let text = Arc::<Mutex<Vec<u8>>>::default();
        let read = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = stderr.read(&mut chunk) {
                read.lock().unwrap().extend_from_slice(&chunk[..length]);
            }
        });
        Self {
            text,
            reader: Some(reader),
        }
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.text.lock().unwrap()).into_owned()
    }

    /// Returns the log of a program that has ended.
    fn end(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        self.so_far()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
