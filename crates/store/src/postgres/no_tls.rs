//! Connections without TLS, in programs that are built without the feature `tls`.

use tokio_postgres::NoTls;
use tokio_postgres::config::SslMode;

use super::url::PostgresUrl;
use crate::error::{Error, Result};

/// Fails if a URL requires TLS. With `sslmode=prefer`, the default, connections are in plain text.
pub(super) fn connector(location: &PostgresUrl) -> Result<NoTls> {
    let needs_tls = |host: &tokio_postgres::Config| host.get_ssl_mode() == SslMode::Require;
    if location.hosts.iter().any(needs_tls) {
        return Err(Error::Failed(
            "the `sslmode` of the URL needs TLS: enable the feature `tls` of model-resource".to_owned(),
        ));
    }
    Ok(NoTls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_that_requires_tls_is_rejected_with_the_remedy() {
        for mode in ["require", "verify-full"] {
            let location = PostgresUrl::parse(&format!("postgres://h/db?sslmode={mode}")).unwrap();
            let message = connector(&location).map(|_| ()).unwrap_err().to_string();
            assert!(message.contains("enable the feature `tls`"), "{message}");
        }
        for mode in ["prefer", "disable"] {
            let location = PostgresUrl::parse(&format!("postgres://h/db?sslmode={mode}")).unwrap();
            assert!(connector(&location).is_ok());
        }
    }
}
