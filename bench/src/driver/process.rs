//! A server's process.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::request::Keys;
use crate::outcome::{Failure, Server};

/// Clock ticks per second in `/proc`, which is constant on Linux.
const TICKS: f64 = 100.0;

/// Paths of the programs.
pub(super) struct Programs {
    pub(super) backend: PathBuf,
    bench: PathBuf,
    open: PathBuf,
    baseline: Option<PathBuf>,
    models: PathBuf,
}

impl Programs {
    pub(super) fn new(backend: PathBuf, baseline: Option<PathBuf>) -> Result<Self, Failure> {
        let bench = std::env::current_exe()?;
        let [open, models] = ["open", "models"].map(|name| bench.with_file_name(name));
        for program in [&backend, &open, &models].into_iter().chain(&baseline) {
            if !program.exists() {
                return Err(
                    format!("{} is missing: `cargo xtask bench` builds it", program.display()).into(),
                );
            }
        }
        Ok(Self {
            backend,
            bench,
            open,
            baseline,
            models,
        })
    }

    /// Starts one of the three servers of articles.
    pub(super) fn serve(&self, server: Server, database: &str) -> Result<Process, Failure> {
        match server {
            Server::Backend => Process::start(&self.open, &["--database", database]),
            Server::Keyed => self.serve_keyed(database, Keys::Random),
            Server::KeyedByTime => self.serve_keyed(database, Keys::ByTime),
            Server::Baseline => {
                let baseline = self.baseline.as_ref().ok_or("no baseline was given")?;
                Process::start(baseline, &["--database", database])
            }
            Server::Sqlx => Process::start(&self.bench, &["serve-sqlx", "--database", database]),
            Server::Limit => Process::start(&self.bench, &["serve-limit", "--database", database]),
            Server::Secured => self.serve_accounts(database, &[]),
            Server::Cached => self.serve_accounts(database, &["--credential-cache-ms", "250"]),
        }
    }

    /// Starts the server of articles, whose requests have keys.
    fn serve_keyed(&self, database: &str, keys: Keys) -> Result<Process, Failure> {
        let mut process = Process::start(&self.open, &["--database", database])?;
        process.keys = keys;
        Ok(process)
    }

    /// Starts the reference application with its accounts and policies.
    fn serve_accounts(&self, database: &str, settings: &[&str]) -> Result<Process, Failure> {
        let words = ["serve", "--listen", "127.0.0.1:0", "--database", database];
        Process::start(&self.backend, &[&words[..], settings].concat())
    }

    /// Starts the server of this number of models.
    pub(super) fn serve_models(&self, models: u64, database: &str) -> Result<Process, Failure> {
        let models = models.to_string();
        Process::start(&self.models, &["--models", &models, "--database", database])
    }
}

pub(super) struct Process {
    child: Child,
    pub(super) address: String,
    /// Bearer token of the requests.
    pub(super) token: Option<String>,
    pub(super) keys: Keys,
}

impl Process {
    fn start(program: &Path, words: &[&str]) -> Result<Self, Failure> {
        let mut command = Command::new(program);
        let mut child = command
            .args(words)
            // The other servers do not log requests.
            .env("BACKEND_LOG", "warn")
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().ok_or("a server has no output")?;
        let mut lines = BufReader::new(out).lines();
        let line = lines.next().transpose()?.unwrap_or_default();
        // Drains the rest of its output, so that the process never blocks.
        std::thread::spawn(move || lines.for_each(drop));
        let address = line
            .split_once("http://")
            .map(|(_, rest)| rest.split([',', ' ']).next().unwrap_or(rest));
        match address {
            Some(address) => Ok(Self {
                address: address.to_owned(),
                token: None,
                keys: Keys::None,
                child,
            }),
            None => {
                child.kill().ok();
                child.wait()?;
                Err(format!("`{} {}` did not start", program.display(), words.join(" ")).into())
            }
        }
    }

    /// Returns the processor time in seconds.
    pub(super) fn cpu(&self) -> Result<f64, Failure> {
        cpu_of(&self.child.id().to_string())
    }

    /// Returns the peak memory in MiB.
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

/// Returns the processor time of this process in seconds.
pub(super) fn own_cpu() -> Result<f64, Failure> {
    cpu_of("self")
}

fn cpu_of(process: &str) -> Result<f64, Failure> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields = stat
        .rsplit_once(')')
        .map(|(_, fields)| fields)
        .ok_or("/proc has no stat")?;
    let mut ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    let (user, system) = (ticks.next().ok_or("no utime")??, ticks.next().ok_or("no stime")??);
    Ok((user + system) / TICKS)
}
