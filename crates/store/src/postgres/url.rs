//! Where a server is and how it is reached, as its URL says.

use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::error::{Error, Result};

/// So long a connection may take, unless the URL says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// After so long without an answer a connection is given up, or asked whether it is still there.
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(30);

/// Limits how long a statement waits for a lock. It is a little longer than a transaction may stay idle, so that a
/// statement behind an idle transaction runs once that one has been rolled back.
const LOCK_TIMEOUT: &str = "-c lock_timeout=6s";

/// Where a server is and how it is reached.
#[derive(Debug, Clone)]
pub(super) struct PostgresUrl {
    pub(super) config: Config,
    pub(super) trust: TlsVerify,
}

/// Whom an encrypted connection may lead to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TlsVerify {
    /// Anyone: what is sent cannot be read on the way, but who reads it in the end is not known.
    None,
    /// The host of the URL, as the certificates of this file or else of the system say.
    Host { roots: Option<PathBuf> },
}

impl PostgresUrl {
    /// Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTIONS`. Errors do not repeat it: it may hold a password.
    pub(super) fn parse(url: &str) -> Result<Self> {
        let (address, options) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut roots, mut others) = ("prefer", None, Vec::new());
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", value)) => mode = value,
                Some(("sslrootcert", value)) => {
                    let file = percent_decode_str(value).decode_utf8();
                    let file = file.map_err(|_| Error::Failed("`sslrootcert` is no UTF-8".to_owned()))?;
                    roots = Some(PathBuf::from(&*file));
                }
                _ => others.push(option),
            }
        }
        let (mode, trust) = match (mode, roots) {
            ("verify-full", roots) => (SslMode::Require, TlsVerify::Host { roots }),
            // Whoever names certificates wants them checked.
            (_, Some(_)) => {
                return Err(Error::Failed(
                    "`sslrootcert` is looked at with `sslmode=verify-full` only: add that".to_owned(),
                ));
            }
            ("disable", None) => (SslMode::Disable, TlsVerify::None),
            ("prefer", None) => (SslMode::Prefer, TlsVerify::None),
            ("require", None) => (SslMode::Require, TlsVerify::None),
            (other, None) => {
                return Err(Error::Failed(format!(
                    "`sslmode={other}` is no option: there are disable, prefer, require and verify-full"
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
        // A server that vanished without a word is noticed within a minute, not after hours.
        config
            .keepalives_idle(UNACKNOWLEDGED_TIMEOUT)
            .tcp_user_timeout(UNACKNOWLEDGED_TIMEOUT);
        // The server applies the last of equal options, so that the URL's own win.
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
            let refused = PostgresUrl::parse(url).unwrap_err().to_string();
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
}
