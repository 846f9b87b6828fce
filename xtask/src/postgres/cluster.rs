//! A private server that lives as long as the tests.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

use super::account::Account;
use super::guard::Guard;
use super::programs::Programs;
use crate::workspace::Outcome;

/// Several programs connect at the same time. Only the socket's folder leads to the server, and only its owner may enter
/// that, so that it needs no password.
const SETTINGS: &str = "\
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 300
";

/// What a server is for.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// Nothing needs to survive a power cut.
    Tests,
    /// Commits take as long as they take users.
    Benchmark,
}

impl Purpose {
    fn settings(self) -> &'static str {
        match self {
            Self::Tests => "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n",
            Self::Benchmark => "",
        }
    }
}

/// A running server; dropping it stops it and removes its files.
pub(super) struct Cluster {
    url: String,
    _guard: Guard,
}

impl Cluster {
    /// Makes and starts a server below the workspace's `target`.
    pub(super) fn start(root: &Path, programs: &Programs, purpose: Purpose) -> Outcome<Self> {
        let account = Account::choose()?;
        let name = format!("postgres-{}", process::id());
        // The path of a socket may have about a hundred bytes, which `target` could exceed.
        let sockets = std::env::temp_dir().join(format!("xtask-{name}"));
        let data = place(root, &account).join(&name);
        let stop = words(
            &account,
            programs,
            "pg_ctl",
            &data,
            &["stop", "-m", "immediate", "-w"],
        );
        let guard = Guard::start(&data, &sockets, &stop)?;
        for folder in [&data, &sockets] {
            make_private(folder, &account)?;
        }
        let options = "--username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync";
        let options: Vec<&str> = options.split(' ').collect();
        run(&words(&account, programs, "initdb", &data, &options))?;
        let place = format!("unix_socket_directories = '{}'\n", sockets.display());
        let settings = [SETTINGS, purpose.settings(), &place].concat();
        append(&data.join("postgresql.conf"), &settings)?;
        let log = data.join("server.log");
        let start = ["start", "-w", "-t", "60", "-l", &log.display().to_string()];
        run(&words(&account, programs, "pg_ctl", &data, &start))
            .map_err(|message| format!("{message}{}", fs::read_to_string(&log).unwrap_or_default()))?;
        let host = sockets.display().to_string().replace('/', "%2F");
        Ok(Self {
            url: format!("postgres://postgres@{host}/postgres"),
            _guard: guard,
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

/// `target`, unless the server's account cannot get there.
fn place(root: &Path, account: &Account) -> PathBuf {
    let target = root.join("target");
    match account.can_enter(&target) {
        true => target,
        false => std::env::temp_dir(),
    }
}

/// The words of a command on the server's files.
fn words(account: &Account, programs: &Programs, name: &str, data: &Path, rest: &[&str]) -> Vec<String> {
    let mut all = vec!["-D".to_owned(), data.display().to_string()];
    all.extend(rest.iter().copied().map(str::to_owned));
    account.words(&programs.program(name), &all)
}

/// Makes a folder, which must not be there yet: in a place that all may write to, it could be somebody else's.
fn make_private(folder: &Path, account: &Account) -> Outcome {
    DirBuilder::new()
        .mode(0o700)
        .create(folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    account.own(folder)
}

fn append(file: &Path, text: &str) -> Outcome {
    fs::read_to_string(file)
        .and_then(|before| fs::write(file, before + text))
        .map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Runs a program, whose words are shown only if it fails.
fn run(words: &[String]) -> Outcome {
    let output = Command::new(&words[0])
        .args(&words[1..])
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run {}: {error}", words[0]))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "`{}` ended with {}:\n{}{}",
            words.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}
