//! Parsing of PostgreSQL URLs.

use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::error::{Error, Result};

/// Default timeout for opening a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Time without a response after which a connection is closed, or probed by a keepalive.
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(30);

/// Timeout for lock waits. Slightly longer than the idle timeout of a transaction, so that a statement blocked by an
/// idle transaction runs once that one is rolled back.
const LOCK_TIMEOUT: &str = "-c lock_timeout=6s";

/// Address and connection options of a server.
#[derive(Debug, Clone)]
pub(super) struct PostgresUrl {
    pub(super) config: Config,
    pub(super) trust: TlsVerify,
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
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", value)) => mode = value,
                Some(("sslrootcert", value)) => {
                    let file = percent_decode_str(value).decode_utf8();
                    let file =
                        file.map_err(|_| Error::Failed("`sslrootcert` is not valid UTF-8".to_owned()))?;
                    roots = Some(PathBuf::from(&*file));
                }
                _ => others.push(option),
            }
        }
        let (mode, trust) = match (mode, roots) {
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
        };
        let mut config: Config = format!("{address}?{}", others.join("&"))
            .parse()
            .map_err(|error| Error::Failed(format!("the database URL: {}", Error::with_causes(&error))))?;
        config.ssl_mode(mode);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        // Detects a vanished server within a minute instead of hours.
        config
            .keepalives_idle(UNACKNOWLEDGED_TIMEOUT)
            .tcp_user_timeout(UNACKNOWLEDGED_TIMEOUT);
        // The server applies the last of equal options, so those of the URL win.
        let options = [Some(LOCK_TIMEOUT), config.get_options()];
        let options: Vec<&str> = options.into_iter().flatten().collect();
        config.options(options.join(" "));
        if config.get_application_name().is_none() {
            config.application_name("model-resource");
        }
        Ok(Self { config, trust })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_postgres::config::Host;

    #[test]
    fn servers_and_sockets_are_told_apart() {
        let location = PostgresUrl::parse("postgres://me:s%40cret@host:7/db").unwrap();
        assert_eq!(location.config.get_hosts(), [Host::Tcp("host".to_owned())]);
        assert_eq!(location.config.get_password(), Some(&b"s@cret"[..]));
        assert_eq!(location.config.get_ssl_mode(), SslMode::Prefer);
        let location = PostgresUrl::parse("postgresql://me@/db?host=/run/postgresql&port=7").unwrap();
        assert_eq!(
            location.config.get_hosts(),
            [Host::Unix("/run/postgresql".into())]
        );
        assert_eq!(location.config.get_ports(), [7]);
    }

    #[test]
    fn the_ways_of_encryption_are_those_of_libpq() {
        let parse = |mode: &str| PostgresUrl::parse(&format!("postgres://h/db?sslmode={mode}"));
        let modes = |mode: &str| parse(mode).map(|l| (l.config.get_ssl_mode(), l.trust)).unwrap();
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
    fn options_of_the_url_are_added_to_the_lock_timeout() {
        let options = |url: &str| {
            let location = PostgresUrl::parse(url).unwrap();
            location.config.get_options().unwrap().to_owned()
        };
        assert_eq!(options("postgres://h/db"), "-c lock_timeout=6s");
        assert_eq!(
            options("postgres://h/db?options=-c%20search_path%3Dblog"),
            "-c lock_timeout=6s -c search_path=blog"
        );
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
