//! The `--database` option.

use clap::Args;

/// The database's URL.
#[derive(Args)]
pub(super) struct DatabaseArgs {
    /// The database: `sqlite:FILE`, `sqlite::memory:`, or `postgres://USER@HOST/DATABASE`
    #[arg(
        long,
        env = "BACKEND_DATABASE",
        hide_env_values = true,
        default_value = "sqlite:backend.db"
    )]
    pub(super) database: String,
}

impl DatabaseArgs {
    /// Returns the URL without the password and the options, which can hold one too. Safe to print.
    pub(super) fn shown(&self) -> String {
        shown(&self.database)
    }
}

/// Returns a database URL without its password and options.
pub(super) fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| *scheme != "sqlite") else {
        return url.to_owned();
    };
    let place = rest.split('?').next().unwrap_or_default();
    match place.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{host}")
        }
        None if rest.contains('@') => format!("{scheme}://.."),
        None => format!("{scheme}://{place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_password() {
        for (url, expected) in [
            ("sqlite:backend.db", "sqlite:backend.db"),
            (
                "sqlite://a@b.db?synchronous=normal",
                "sqlite://a@b.db?synchronous=normal",
            ),
            ("postgres://host/db", "postgres://host/db"),
            ("postgres://ann@host/db", "postgres://ann@host/db"),
            ("postgres://ann:secret@host:1/db", "postgres://ann@host:1/db"),
            ("postgres://ann:se@cr:et@host/db", "postgres://ann@host/db"),
            ("postgres://ann@host/db?password=secret", "postgres://ann@host/db"),
            ("postgres://ann:se?cret@host/db", "postgres://.."),
            ("postgres://host/db?password=se@cret", "postgres://.."),
        ] {
            assert_eq!(shown(url), expected);
        }
    }
}
