//! Parsing of SQLite URLs.

use std::path::PathBuf;

use crate::error::{Error, Result};

/// Location and options of a database.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SqliteUrl {
    /// Path of the file; `None` for a database in memory.
    pub(super) file: Option<PathBuf>,
    pub(super) synchronous: Synchronous,
}

/// Durability of a commit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Synchronous {
    /// Synced to disk.
    Full,
    /// Passed to the operating system.
    Normal,
}

impl Synchronous {
    pub(super) fn pragma(self) -> &'static str {
        match self {
            Synchronous::Full => "FULL",
            Synchronous::Normal => "NORMAL",
        }
    }
}

impl SqliteUrl {
    /// Parses `sqlite:PATH`, `sqlite://PATH` or `sqlite::memory:`, with an optional `?synchronous=full` or `normal`.
    pub(super) fn parse(url: &str) -> Result<Self> {
        let Some(rest) = url.strip_prefix("sqlite:") else {
            // The rest of a server URL may contain a password.
            let scheme = url.split(':').next().unwrap_or_default();
            return Err(Error::Failed(format!(
                "cannot open a database of kind `{scheme}`: supported are sqlite:PATH and sqlite::memory:"
            )));
        };
        let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            return Err(Error::Failed(format!(
                "`{url}` names no file: write sqlite:PATH or sqlite::memory:"
            )));
        }
        let file = (path != ":memory:").then(|| PathBuf::from(path));
        let mut location = Self {
            file,
            synchronous: Synchronous::Full,
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            location.synchronous = match option {
                "synchronous=full" => Synchronous::Full,
                "synchronous=normal" => Synchronous::Normal,
                _ => {
                    return Err(Error::Failed(format!(
                        "`{option}` of `{url}` is an unknown option: write synchronous=full or synchronous=normal"
                    )));
                }
            };
        }
        Ok(location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_memory_are_told_apart() {
        let file = |url: &str| SqliteUrl::parse(url).unwrap().file;
        assert_eq!(file("sqlite:app.db"), Some("app.db".into()));
        assert_eq!(file("sqlite://data/app.db"), Some("data/app.db".into()));
        assert_eq!(file("sqlite:///var/app.db"), Some("/var/app.db".into()));
        assert_eq!(file("sqlite::memory:"), None);
    }

    #[test]
    fn durability_is_an_option_and_full_by_default() {
        assert_eq!(
            SqliteUrl::parse("sqlite:a").unwrap().synchronous,
            Synchronous::Full
        );
        assert_eq!(
            SqliteUrl::parse("sqlite:a?synchronous=normal")
                .unwrap()
                .synchronous,
            Synchronous::Normal
        );
    }

    #[test]
    fn other_urls_are_refused_with_what_is_supported_and_without_their_secrets() {
        let rejected = |url: &str| SqliteUrl::parse(url).unwrap_err().to_string();
        assert!(rejected("postgres://me:secret@host/db").contains("sqlite:PATH"));
        assert!(!rejected("postgres://me:secret@host/db").contains("secret"));
        assert!(rejected("sqlite:").contains("names no file"));
        assert!(rejected("sqlite:a?cache=shared").contains("synchronous=normal"));
    }
}
