//! Parsing of SQLite URLs.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::search_timeout::{SEARCH_TIMEOUT, parse_search_timeout};

/// Maximum number of threads of one kind.
const MAX_THREADS: usize = 64;

/// Location and options of a database.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SqliteUrl {
    /// Path of the file; `None` for a database in memory.
    pub(super) file: Option<PathBuf>,
    pub(super) synchronous: Synchronous,
    /// Number of connections for short reads.
    pub(super) readers: usize,
    /// Number of connections for searches.
    pub(super) searches: usize,
    /// Time limit of a search.
    pub(super) search_timeout: Duration,
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
    /// Parses `sqlite:PATH`, `sqlite://PATH` or `sqlite::memory:`, with options after a `?`.
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
        let threads =
            std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, MAX_THREADS));
        let mut location = Self {
            file: (path != ":memory:").then(|| PathBuf::from(path)),
            synchronous: Synchronous::Full,
            readers: threads,
            searches: threads,
            search_timeout: SEARCH_TIMEOUT,
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            location.set(option).ok_or_else(|| {
                Error::Failed(format!(
                    "`{option}` of `{url}` is not a valid option: write synchronous=full, synchronous=normal, \
                     readers=N, searches=N (1 to {MAX_THREADS}) or search_timeout=SECONDS (0.001 to 3600)"
                ))
            })?;
        }
        Ok(location)
    }

    /// Sets an option. Returns `None` if its name or value is invalid.
    fn set(&mut self, option: &str) -> Option<()> {
        let threads = |count: &str| {
            count
                .parse()
                .ok()
                .filter(|count| (1..=MAX_THREADS).contains(count))
        };
        match option.split_once('=')? {
            ("synchronous", "full") => self.synchronous = Synchronous::Full,
            ("synchronous", "normal") => self.synchronous = Synchronous::Normal,
            ("readers", count) => self.readers = threads(count)?,
            ("searches", count) => self.searches = threads(count)?,
            ("search_timeout", seconds) => self.search_timeout = parse_search_timeout(seconds).ok()?,
            _ => return None,
        }
        Some(())
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

    #[test]
    fn the_numbers_of_connections_and_the_time_limit_of_searches_are_options() {
        let url = SqliteUrl::parse("sqlite:a?readers=3&searches=5&search_timeout=30").unwrap();
        assert_eq!((url.readers, url.searches), (3, 5));
        assert_eq!(url.search_timeout, Duration::from_secs(30));
        let default = SqliteUrl::parse("sqlite:a").unwrap();
        assert!(default.readers >= 2 && default.searches >= 2);
        assert_eq!(default.search_timeout, Duration::from_secs(5));
    }

    #[test]
    fn an_invalid_option_is_refused_with_the_valid_ones() {
        for option in [
            "readers=0",
            "readers=65",
            "searches=many",
            "reader=2",
            "search_timeout=0",
            "readers",
        ] {
            let error = SqliteUrl::parse(&format!("sqlite:a?{option}"))
                .unwrap_err()
                .to_string();
            assert!(error.contains(option), "{error}");
            for valid in [
                "readers=N",
                "searches=N",
                "1 to 64",
                "search_timeout=SECONDS",
                "synchronous=full",
            ] {
                assert!(error.contains(valid), "{error}");
            }
        }
    }
}
