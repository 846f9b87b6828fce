//! Parsing of PostgreSQL URLs.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use crate::error::{Error, Result};
use crate::search_timeout::{SEARCH_TIMEOUT, parse_search_timeout};

/// Default timeout for opening a connection to one address, with its handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Default limit of all connections of a process.
const MAX_CONNECTIONS: usize = 20;
/// Valid limits: at least one connection for each kind of work.
const VALID_MAX_CONNECTIONS: RangeInclusive<usize> = 6..=1000;

/// Time without a response after which a connection is closed, or probed by a keepalive.
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(30);

/// Preparation of statements (`prepare`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prepare {
    /// By name, once per session.
    Named,
    /// Without a name, when they run: nothing outlives a transaction, as a pooler in transaction mode requires.
    Unnamed,
}

/// Addresses and options of a server.
#[derive(Debug, Clone)]
pub(super) struct PostgresUrl {
    /// One configuration per address.
    pub(super) hosts: Vec<Config>,
    /// Whether a server that rejects writes is acceptable.
    pub(super) target: TargetSessionAttrs,
    #[cfg_attr(
        not(feature = "tls"),
        expect(dead_code, reason = "only TLS connections verify")
    )]
    pub(super) trust: TlsVerify,
    pub(super) options: PostgresOptions,
}

/// Options of the store in the URL.
#[derive(Debug, Clone)]
pub(super) struct PostgresOptions {
    /// Limit of all connections of the process.
    pub(super) max_connections: usize,
    /// Timeout for opening a connection to one address, with its handshake.
    pub(super) connect_timeout: Duration,
    /// Time limit of searches.
    pub(super) search_timeout: Duration,
    pub(super) prepare: Prepare,
    /// Options of the sessions (`options`), which the server applies first.
    session: String,
}

impl PostgresOptions {
    /// Whether the URL sets a parameter of the sessions.
    pub(super) fn sets(&self, parameter: &str) -> bool {
        self.session.contains(parameter)
    }
}

/// Verification of the server's TLS certificate.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TlsVerify {
    /// No verification: traffic is encrypted, but the server's identity is unknown.
    None,
    /// Verifies the host name against the root certificates of this file, or of the system.
    Host { roots: Option<PathBuf> },
}

impl PostgresUrl {
    /// Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTIONS`. Errors do not repeat the URL, which may contain
    /// a password.
    pub(super) fn parse(url: &str) -> Result<Self> {
        let (address, options) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut roots, mut others) = ("prefer", None, Vec::new());
        let (mut max_connections, mut search_timeout) = (MAX_CONNECTIONS, SEARCH_TIMEOUT);
        let mut prepare = Prepare::Named;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", value)) => mode = value,
                Some(("sslrootcert", value)) => {
                    let file = percent_decode_str(value).decode_utf8();
                    let file =
                        file.map_err(|_| Error::Failed("`sslrootcert` is not valid UTF-8".to_owned()))?;
                    roots = Some(PathBuf::from(&*file));
                }
                Some(("max_connections", value)) => max_connections = parse_max_connections(value)?,
                Some(("search_timeout", value)) => search_timeout = parse_search_timeout(value)?,
                Some(("prepare", value)) => prepare = parse_prepare(value)?,
                _ => others.push(option),
            }
        }
        let (mode, trust) = encryption(mode, roots)?;
        let mut config: Config = format!("{address}?{}", others.join("&"))
            .parse()
            .map_err(|error| Error::Failed(format!("the database URL: {}", Error::with_causes(&error))))?;
        config.ssl_mode(mode);
        // Detects a vanished server within a minute instead of hours.
        config
            .keepalives_idle(UNACKNOWLEDGED_TIMEOUT)
            .tcp_user_timeout(UNACKNOWLEDGED_TIMEOUT);
        if config.get_application_name().is_none() {
            config.application_name("model-resource");
        }
        let options = PostgresOptions {
            max_connections,
            connect_timeout: config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT),
            search_timeout,
            prepare,
            session: config.get_options().unwrap_or_default().to_owned(),
        };
        Ok(Self {
            hosts: hosts(&config),
            target: config.get_target_session_attrs(),
            trust,
            options,
        })
    }
}

/// Returns the encryption mode and the verification of the certificate.
fn encryption(mode: &str, roots: Option<PathBuf>) -> Result<(SslMode, TlsVerify)> {
    Ok(match (mode, roots) {
        ("verify-full", roots) => (SslMode::Require, TlsVerify::Host { roots }),
        // Custom root certificates without verification are a mistake.
        (_, Some(_)) => {
            return Err(Error::Failed(
                "`sslrootcert` needs `sslmode=verify-full`: add that".to_owned(),
            ));
        }
        ("disable", None) => (SslMode::Disable, TlsVerify::None),
        ("prefer", None) => (SslMode::Prefer, TlsVerify::None),
        ("require", None) => (SslMode::Require, TlsVerify::None),
        (other, None) => {
            return Err(Error::Failed(format!(
                "`sslmode={other}` is invalid: write disable, prefer, require or verify-full"
            )));
        }
    })
}

fn parse_prepare(value: &str) -> Result<Prepare> {
    match value {
        "on" => Ok(Prepare::Named),
        "off" => Ok(Prepare::Unnamed),
        _ => Err(Error::Failed(
            "`prepare` must be on, or off behind a pooler in transaction mode".to_owned(),
        )),
    }
}

fn parse_max_connections(value: &str) -> Result<usize> {
    let (first, last) = (VALID_MAX_CONNECTIONS.start(), VALID_MAX_CONNECTIONS.end());
    let number = value
        .parse()
        .ok()
        .filter(|number| VALID_MAX_CONNECTIONS.contains(number));
    number.ok_or_else(|| {
        Error::Failed(format!(
            "`max_connections` must be a number from {first} to {last}"
        ))
    })
}

/// Returns a configuration for each address, in order.
fn hosts(config: &Config) -> Vec<Config> {
    let count = config.get_hosts().len().max(config.get_hostaddrs().len()).max(1);
    (0..count).map(|index| host(config, index)).collect()
}

fn host(config: &Config, index: usize) -> Config {
    let mut host = Config::new();
    if let Some(user) = config.get_user() {
        host.user(user);
    }
    if let Some(password) = config.get_password() {
        host.password(password);
    }
    if let Some(name) = config.get_dbname() {
        host.dbname(name);
    }
    if let Some(options) = config.get_options() {
        host.options(options);
    }
    if let Some(name) = config.get_application_name() {
        host.application_name(name);
    }
    match config.get_hosts().get(index) {
        Some(Host::Tcp(name)) => host.host(name),
        Some(Host::Unix(folder)) => host.host_path(folder),
        None => &mut host,
    };
    if let Some(address) = config.get_hostaddrs().get(index) {
        host.hostaddr(*address);
    }
    let ports = config.get_ports();
    if let Some(port) = ports.get(index).or(ports.last()) {
        host.port(*port);
    }
    host.ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .channel_binding(config.get_channel_binding())
        .keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .tcp_user_timeout(UNACKNOWLEDGED_TIMEOUT);
    host
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_and_sockets_are_told_apart() {
        let location = PostgresUrl::parse("postgres://me:s%40cret@host:7/db").unwrap();
        assert_eq!(location.hosts[0].get_hosts(), [Host::Tcp("host".to_owned())]);
        assert_eq!(location.hosts[0].get_password(), Some(&b"s@cret"[..]));
        assert_eq!(location.hosts[0].get_ssl_mode(), SslMode::Prefer);
        let location = PostgresUrl::parse("postgresql://me@/db?host=/run/postgresql&port=7").unwrap();
        assert_eq!(
            location.hosts[0].get_hosts(),
            [Host::Unix("/run/postgresql".into())]
        );
        assert_eq!(location.hosts[0].get_ports(), [7]);
    }

    #[test]
    fn the_ways_of_encryption_are_those_of_libpq() {
        let parse = |mode: &str| PostgresUrl::parse(&format!("postgres://h/db?sslmode={mode}"));
        let modes = |mode: &str| parse(mode).map(|l| (l.hosts[0].get_ssl_mode(), l.trust)).unwrap();
        assert_eq!(modes("disable"), (SslMode::Disable, TlsVerify::None));
        assert_eq!(modes("prefer"), (SslMode::Prefer, TlsVerify::None));
        assert_eq!(modes("require"), (SslMode::Require, TlsVerify::None));
        let roots = Some("/etc/ca.pem".into());
        assert_eq!(
            modes("verify-full&sslrootcert=/etc/ca.pem"),
            (SslMode::Require, TlsVerify::Host { roots })
        );
        let roots = Some("/etc/our roots&more/ü.pem".into());
        assert_eq!(
            modes("verify-full&sslrootcert=%2Fetc%2four%20roots%26more/%C3%BC.pem"),
            (SslMode::Require, TlsVerify::Host { roots })
        );
        assert!(parse("verify-full&sslrootcert=%FF").is_err());
        let unused = parse("require&sslrootcert=/etc/ca.pem").unwrap_err();
        assert!(unused.to_string().contains("sslmode=verify-full"), "{unused}");
        assert!(parse("maybe").unwrap_err().to_string().contains("verify-full"));
    }

    #[test]
    fn each_address_has_a_configuration() {
        let location =
            PostgresUrl::parse("postgres://me@a:1,b:2/db?target_session_attrs=read-write").unwrap();
        let ports: Vec<&[u16]> = location.hosts.iter().map(Config::get_ports).collect();
        assert_eq!(ports, [[1], [2]]);
        assert_eq!(location.hosts[1].get_hosts(), [Host::Tcp("b".to_owned())]);
        assert_eq!(location.hosts[1].get_user(), Some("me"));
        assert_eq!(location.target, TargetSessionAttrs::ReadWrite);
    }

    #[test]
    fn options_of_the_store_are_taken_off() {
        let url = "postgres://h/db?max_connections=7&search_timeout=1.5&connect_timeout=3";
        let options = PostgresUrl::parse(url).unwrap().options;
        assert_eq!(options.max_connections, 7);
        assert_eq!(options.search_timeout, Duration::from_millis(1500));
        assert_eq!(options.connect_timeout, Duration::from_secs(3));
        assert_eq!(options.prepare, Prepare::Named);
        assert!(!options.sets("lock_timeout"));
        let pooled = PostgresUrl::parse("postgres://h/db?prepare=off").unwrap().options;
        assert_eq!(pooled.prepare, Prepare::Unnamed);
        let chosen = PostgresUrl::parse("postgres://h/db?options=-c%20lock_timeout%3D1s").unwrap();
        assert!(chosen.options.sets("lock_timeout"));
        for wrong in [
            "max_connections=5",
            "max_connections=x",
            "search_timeout=0",
            "prepare=no",
        ] {
            let rejected = PostgresUrl::parse(&format!("postgres://h/db?{wrong}")).unwrap_err();
            let name = wrong.split('=').next().unwrap();
            assert!(rejected.to_string().contains(name), "{rejected}");
        }
    }

    #[test]
    fn a_wrong_url_is_refused_without_its_secrets() {
        for url in [
            "postgres://me:secret@host:port/db",
            "postgres://me:secret@host/db?wrong=1",
        ] {
            let rejected = PostgresUrl::parse(url).unwrap_err().to_string();
            assert!(!rejected.contains("secret"), "{rejected}");
        }
    }
}
