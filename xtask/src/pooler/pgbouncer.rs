//! PgBouncer, installed if needed, as a process.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use private_postgres::{is_root, succeeds};

use crate::debian::Apt;
use crate::scratch::Scratch;
use crate::workspace::Outcome;

const REMEDY: &str = "install PgBouncer (on Debian the package `pgbouncer`), and call this again";
/// Maximum time until it accepts connections.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// Ends PgBouncer with its input, which ends with this process, even by SIGKILL.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
"$@" &
cat > /dev/null
kill $!
wait
"#;

/// Sharing of the server's sessions between clients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PoolMode {
    Session,
    Transaction,
}

impl PoolMode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Transaction => "transaction",
        }
    }

    /// Sessions per database. In session mode there must be one for every connection of three processes.
    fn size(self) -> usize {
        match self {
            Self::Session => 70,
            Self::Transaction => 4,
        }
    }
}

/// A running PgBouncer in front of a server, which ends on drop.
pub(super) struct PgBouncer {
    address: SocketAddr,
    guard: Child,
    _folder: Scratch,
}

impl PgBouncer {
    /// Starts it on a free port, in front of the server at a URL.
    pub(super) fn start(server: &str, mode: PoolMode) -> Outcome<Self> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let address = free.map_err(|error| format!("there is no free port: {error}"))?;
        let folder = Scratch::new()?;
        let file = folder.path().join("pgbouncer.ini");
        fs::write(&file, configuration(server, mode, address.port())?)
            .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        let mut guard = Command::new("sh");
        guard.args(["-c", SCRIPT, "guard", "pgbouncer", "-q"]);
        if is_root() {
            // It refuses to run as root, and only this account can enter the folder of the server's socket.
            guard.args(["-u", "postgres"]);
        }
        let guard = guard
            .arg(&file)
            .env("PATH", path())
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start sh: {error}"))?;
        let pooler = Self {
            address,
            guard,
            _folder: folder,
        };
        pooler.wait()?;
        Ok(pooler)
    }

    fn wait(&self) -> Outcome {
        let begin = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            if begin.elapsed() > START_TIMEOUT {
                return Err("PgBouncer does not accept connections".to_owned());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// URL of the server's initial database behind it.
    pub(super) fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.address)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// Installs PgBouncer if it is missing.
pub(super) fn provide() -> Outcome {
    if is_present() {
        return Ok(());
    }
    println!("PgBouncer is not on this machine: installing it");
    match Apt::find().and_then(|apt| apt.install("pgbouncer")) {
        Ok(()) if is_present() => Ok(()),
        Ok(()) => Err(format!("the installed package has no pgbouncer; {REMEDY}")),
        Err(message) => Err(format!(
            "there is no PgBouncer, and it cannot be installed: {message}; {REMEDY}"
        )),
    }
}

fn is_present() -> bool {
    succeeds(Command::new("pgbouncer").arg("--version").env("PATH", path()))
}

/// Search path with Debian's folder of servers, which is not in the path of ordinary users.
fn path() -> String {
    format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default())
}

/// Returns the configuration. No startup parameter is ignored.
fn configuration(server: &str, mode: PoolMode, port: u16) -> Outcome<String> {
    let server = connection_parameters(server)?;
    Ok(format!(
        "[databases]\n\
         * = {server}\n\
         [pgbouncer]\n\
         listen_addr = 127.0.0.1\n\
         listen_port = {port}\n\
         unix_socket_dir =\n\
         auth_type = any\n\
         pool_mode = {}\n\
         default_pool_size = {}\n\
         max_client_conn = 1000\n",
        mode.name(),
        mode.size(),
    ))
}

/// Returns the parameters of a connection to the server at `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
fn connection_parameters(url: &str) -> Outcome<String> {
    let place = url.split_once("://").map(|(_, rest)| rest);
    let place = place.and_then(|rest| rest.split(['/', '?']).next());
    let (user, host) = place
        .and_then(|place| place.rsplit_once('@'))
        .ok_or("TEST_POSTGRES_URL has no user")?;
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    let (host, port) = host.split_once(':').unwrap_or((host, "5432"));
    let mut parameters = format!("host={} port={port} user={user}", host.replace("%2F", "/"));
    if !password.is_empty() {
        parameters.push_str(&format!(" password={password}"));
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_a_connection_are_those_of_the_url() {
        let of = |url| connection_parameters(url).unwrap();
        assert_eq!(
            of("postgres://postgres@%2Ftmp%2Fa/postgres"),
            "host=/tmp/a port=5432 user=postgres"
        );
        assert_eq!(
            of("postgres://ann:word@db:7/test?sslmode=disable"),
            "host=db port=7 user=ann password=word"
        );
        assert!(connection_parameters("postgres://db/test").is_err());
    }
}
