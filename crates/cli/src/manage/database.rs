//! The `--database` option.

use std::path::Path;

use clap::Args;
use model_resource::{SqlDialect, Store};

use crate::failure::Failure;

/// A database that a command of an application works on; see [`Manage::database_command`](crate::Manage::database_command).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OpenDatabase {
    /// The store, with its migrations applied and its tables verified. It is closed when the command ends.
    pub store: Store,
    /// URL of the database without its password, for messages.
    pub name: String,
}

// URL of the database. Its default is that of the program. This is not a doc comment, which would replace the help of
// the command that the option is added to.
#[derive(Args)]
pub(crate) struct DatabaseArgs {
    /// The database: `sqlite:FILE`, `sqlite::memory:`, or `postgres://USER@HOST/DATABASE`
    #[arg(
        long,
        env = "DATABASE",
        hide_env_values = true,
        default_value = "sqlite::memory:"
    )]
    pub(crate) database: String,
}

impl DatabaseArgs {
    /// Id of the option.
    pub(crate) const ID: &str = "database";

    /// Returns the URL without the password and the options, which can hold one too. Safe to print.
    pub(crate) fn shown(&self) -> String {
        shown(&self.database)
    }

    /// Returns the URL for a command that changes nothing: that of an empty database instead of a SQLite file that does
    /// not exist.
    pub(crate) fn url_to_inspect(&self) -> &str {
        match self.missing_file() {
            Some(_) => "sqlite::memory:",
            None => &self.database,
        }
    }

    /// Returns the SQLite file of the URL if it does not exist. Opening the database would create it.
    pub(crate) fn missing_file(&self) -> Option<&str> {
        let file = self.database.strip_prefix("sqlite:")?;
        let file = file.strip_prefix("//").unwrap_or(file);
        let file = file.split('?').next().unwrap_or_default();
        (file != ":memory:" && !Path::new(file).exists()).then_some(file)
    }

    /// Rejects a SQLite file that does not exist.
    pub(crate) fn require_file(&self) -> Result<(), Failure> {
        match self.missing_file() {
            Some(file) => Err(format!("there is no database {file}: name it with --database").into()),
            None => Ok(()),
        }
    }
}

/// Returns the dialect of the database at a URL.
pub(crate) fn dialect_of(url: &str) -> Result<SqlDialect, Failure> {
    match url.split(':').next() {
        Some("sqlite") => Ok(SqlDialect::Sqlite),
        Some("postgres" | "postgresql") => Ok(SqlDialect::Postgres),
        _ => Err(format!(
            "`{}` is no URL of a database: write `sqlite:FILE` or `postgres://USER@HOST/DATABASE`",
            shown(url)
        )
        .into()),
    }
}

/// Returns a database URL without its password and options.
pub(crate) fn shown(url: &str) -> String {
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
            ("sqlite:library.db", "sqlite:library.db"),
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

    #[test]
    fn the_dialect_of_a_url_is_that_of_its_scheme() {
        for (url, dialect) in [
            ("sqlite::memory:", SqlDialect::Sqlite),
            ("sqlite://library.db", SqlDialect::Sqlite),
            ("postgres://ann@host/db", SqlDialect::Postgres),
            ("postgresql:///db", SqlDialect::Postgres),
        ] {
            assert_eq!(dialect_of(url).unwrap(), dialect, "{url}");
        }
        let message = dialect_of("mysql://ann:secret@host/db").unwrap_err().to_string();
        assert!(message.contains("`mysql://ann@host/db` is no URL"), "{message}");
    }
}
