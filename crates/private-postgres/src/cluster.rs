//! A private server that lives as long as the tests.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::account::SystemAccount;
use crate::guard::ProcessGuard;
use crate::outcome::Outcome;
use crate::programs::Programs;

/// Settings of every server. Durability is off, since nothing needs to survive a power failure. No password is
/// needed, because only the owner can enter the socket's folder.
const SETTINGS: &str = "\
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 300
fsync = off
synchronous_commit = off
full_page_writes = off
";

/// Additional settings of a server.
#[derive(Debug, Default)]
pub struct ClusterSettings {
    /// TCP port on `localhost`. Add files that restrict access there.
    pub port: Option<u16>,
    /// Lines of `postgresql.conf`.
    pub lines: String,
    /// Names and contents of files in the server's folder.
    pub files: Vec<(&'static str, String)>,
}

impl ClusterSettings {
    /// Settings of a durable server, which is slower.
    pub fn durable() -> Self {
        Self {
            lines: "fsync = on\nsynchronous_commit = on\nfull_page_writes = on\n".to_owned(),
            ..Self::default()
        }
    }
}

/// A running server; dropping it stops the server and removes its files.
pub struct Cluster {
    url: String,
    start: Vec<String>,
    stop: Vec<String>,
    promote: Vec<String>,
    data: PathBuf,
    sockets: PathBuf,
    log: PathBuf,
    _guard: ProcessGuard,
}

impl Cluster {
    /// Creates and starts a server below a folder, usually the workspace's `target`.
    pub fn start(target: &Path, programs: &Programs, settings: &ClusterSettings) -> Outcome<Self> {
        let account = SystemAccount::choose()?;
        let cluster = Self::allocate(target, programs, settings.port, &account)?;
        let options = "--username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync";
        let options: Vec<&str> = options.split(' ').collect();
        run(&words(&account, programs, "initdb", &cluster.data, &options))?;
        let port = settings.port.map_or(String::new(), |port| {
            format!("listen_addresses = 'localhost'\nport = {port}\n")
        });
        cluster.configure(&[SETTINGS, &cluster.socket_setting(), &port, &settings.lines].concat())?;
        for (name, text) in &settings.files {
            write_private(&cluster.data.join(name), text, &account)?;
        }
        cluster.resume()?;
        Ok(cluster)
    }

    /// Creates and starts a standby of this server, which follows its changes.
    pub fn standby(&self, target: &Path, programs: &Programs) -> Outcome<Self> {
        let account = SystemAccount::choose()?;
        let standby = Self::allocate(target, programs, None, &account)?;
        let primary = self.sockets.display().to_string();
        let options = ["-h", &primary, "-U", "postgres", "-R", "-c", "fast", "--no-sync"];
        run(&words(
            &account,
            programs,
            "pg_basebackup",
            &standby.data,
            &options,
        ))?;
        standby.configure(&standby.socket_setting())?;
        standby.resume()?;
        Ok(standby)
    }

    /// Creates the folders of a server, which its guard removes.
    fn allocate(
        target: &Path,
        programs: &Programs,
        port: Option<u16>,
        account: &SystemAccount,
    ) -> Outcome<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("postgres-{}-{count}", process::id());
        // The path of a socket is limited to about a hundred bytes, which `target` could exceed.
        let sockets = std::env::temp_dir().join(format!("private-{name}"));
        let data = place(target, account).join(&name);
        let log = data.join("server.log");
        let control = |rest: &[&str]| words(account, programs, "pg_ctl", &data, rest);
        let start = control(&["start", "-w", "-t", "60", "-l", &log.display().to_string()]);
        let stop = control(&["stop", "-m", "immediate", "-w"]);
        let promote = control(&["promote", "-w"]);
        let guard = ProcessGuard::start(&data, &sockets, &stop)?;
        for folder in [&data, &sockets] {
            make_private(folder, account)?;
        }
        let host = sockets.display().to_string().replace('/', "%2F");
        let port = port.map_or(String::new(), |port| format!(":{port}"));
        Ok(Self {
            url: format!("postgres://postgres@{host}{port}/postgres"),
            start,
            stop,
            promote,
            data,
            sockets,
            log,
            _guard: guard,
        })
    }

    fn socket_setting(&self) -> String {
        format!("unix_socket_directories = '{}'\n", self.sockets.display())
    }

    fn configure(&self, lines: &str) -> Outcome {
        append(&self.data.join("postgresql.conf"), lines)
    }

    /// URL of the initial database, as its superuser.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Folder of the server's socket.
    pub fn socket_folder(&self) -> &Path {
        &self.sockets
    }

    /// Stops the server like a crash: connections break, and committed data stays.
    pub fn stop(&self) -> Outcome {
        run(&self.stop)
    }

    /// Restarts the stopped server in the same place.
    pub fn resume(&self) -> Outcome {
        let log = |message| format!("{message}{}", fs::read_to_string(&self.log).unwrap_or_default());
        run(&self.start).map_err(log)
    }

    /// Makes a standby accept writes.
    pub fn promote(&self) -> Outcome {
        run(&self.promote)
    }

    /// Suspends all processes of the server: connections stay open, and nothing responds until the value is dropped.
    pub fn freeze(&self) -> Outcome<FrozenCluster<'_>> {
        self.signal("STOP")?;
        Ok(FrozenCluster(self))
    }

    /// Sends a signal to the server and its child processes.
    fn signal(&self, signal: &str) -> Outcome {
        let file = self.data.join("postmaster.pid");
        let text =
            fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let server = text.lines().next().unwrap_or_default();
        let script = format!(
            "kill -{signal} {server} && for child in $(pgrep -P {server}); do kill -{signal} $child; done"
        );
        run(&["sh".to_owned(), "-c".to_owned(), script])
    }
}

/// A suspended server; dropping it lets the server continue.
pub struct FrozenCluster<'c>(&'c Cluster);

impl Drop for FrozenCluster<'_> {
    fn drop(&mut self) {
        if let Err(message) = self.0.signal("CONT") {
            eprintln!("{message}");
        }
    }
}

/// Returns `target`, or a temporary folder if the server's account cannot enter it.
fn place(target: &Path, account: &SystemAccount) -> PathBuf {
    if account.can_enter(target) {
        target.to_path_buf()
    } else {
        std::env::temp_dir()
    }
}

/// Returns a command line on the server's files.
fn words(
    account: &SystemAccount,
    programs: &Programs,
    name: &str,
    data: &Path,
    rest: &[&str],
) -> Vec<String> {
    let mut all = vec!["-D".to_owned(), data.display().to_string()];
    all.extend(rest.iter().copied().map(str::to_owned));
    account.words(&programs.program(name), &all)
}

/// Creates a folder, which must not exist yet: in a world-writable place it could belong to another user.
fn make_private(folder: &Path, account: &SystemAccount) -> Outcome {
    DirBuilder::new()
        .mode(0o700)
        .create(folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    account.own(folder)
}

fn write_private(file: &Path, text: &str, account: &SystemAccount) -> Outcome {
    let write = || {
        fs::write(file, text)?;
        fs::set_permissions(file, Permissions::from_mode(0o600))
    };
    write().map_err(|error: io::Error| format!("cannot write {}: {error}", file.display()))?;
    account.own(file)
}

fn append(file: &Path, text: &str) -> Outcome {
    fs::read_to_string(file)
        .and_then(|before| fs::write(file, before + text))
        .map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Runs a program; its output is shown only if it fails.
fn run(words: &[String]) -> Outcome {
    let output = Command::new(&words[0])
        .args(&words[1..])
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run {}: {error}", words[0]))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "`{}` ended with {}:\n{}{}",
        words.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    ))
}
