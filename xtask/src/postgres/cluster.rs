//! A private server that lives as long as the tests.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

use super::account::Account;
use super::guard::Guard;
use super::programs::Programs;
use crate::workspace::Outcome;

/// Nothing needs to survive a power cut, and several test programs connect at the same time. Only the socket's folder
/// leads to the server, and only its owner may enter that, so that it needs no password.
const SETTINGS: &str = "\
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 300
fsync = off
synchronous_commit = off
full_page_writes = off
";

/// A running server; dropping it stops it and removes its files.
pub(super) struct Cluster {
    url: String,
    _guard: Guard,
}

impl Cluster {
    /// Makes and starts a server below the workspace's `target`.
    pub(super) fn start(root: &Path, programs: &Programs) -> Outcome<Self> {
        let account = Account::choose()?;
        let name = format!("postgres-{}", process::id());
        // The path of a socket may have about a hundred bytes, which `target` could exceed.
        let sockets = std::env::temp_dir().join(format!("xtask-{name}"));
        let data = place(root, &account).join(&name);
        let stop = words(&account, programs, "pg_ctl", &data, "stop -m immediate -w");
        let guard = Guard::start(&data, &sockets, &stop)?;
        for folder in [&data, &sockets] {
            make_private(folder, &account)?;
        }
        let initdb = "--username postgres --auth trust --encoding UTF8 --locale C --no-sync";
        run(&words(&account, programs, "initdb", &data, initdb))?;
        let settings = format!("{SETTINGS}unix_socket_directories = '{}'\n", sockets.display());
        append(&data.join("postgresql.conf"), &settings)?;
        let start = format!("start -w -t 60 -l {}", data.join("server.log").display());
        run(&words(&account, programs, "pg_ctl", &data, &start)).map_err(|message| {
            let log = fs::read_to_string(data.join("server.log")).unwrap_or_default();
            format!("{message}\n{log}")
        })?;
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

fn words(account: &Account, programs: &Programs, name: &str, data: &Path, arguments: &str) -> Vec<String> {
    let mut all = vec!["-D".to_owned(), data.display().to_string()];
    all.extend(arguments.split_whitespace().map(str::to_owned));
    account.words(&programs.program(name), &all)
}

fn make_private(folder: &Path, account: &Account) -> Outcome {
    fs::create_dir_all(folder)
        .and_then(|()| fs::set_permissions(folder, Permissions::from_mode(0o700)))
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    account.own(folder)
}

fn append(file: &Path, text: &str) -> Outcome {
    fs::read_to_string(file)
        .and_then(|before| fs::write(file, before + text))
        .map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Runs a program, whose words are shown only if it fails. Its output goes to a file, since a server that it leaves
/// behind would hold a pipe open.
fn run(words: &[String]) -> Outcome {
    let said = std::env::temp_dir().join(format!("xtask-postgres-{}.txt", process::id()));
    let failed = |error: std::io::Error| format!("cannot run {}: {error}", words[0]);
    let output = fs::File::create(&said).map_err(failed)?;
    let status = Command::new(&words[0])
        .args(&words[1..])
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(output.try_clone().map_err(failed)?)
        .stdout(output)
        .status();
    let text = fs::read_to_string(&said).unwrap_or_default();
    let _ = fs::remove_file(&said);
    match status.map_err(failed)? {
        status if status.success() => Ok(()),
        status => Err(format!("`{}` ended with {status}:\n{text}", words.join(" "))),
    }
}
