//! Parsing of SQLite URLs.

use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::search_timeout::{SEARCH_TIMEOUT, parse_search_timeout};

/// Maximum number of threads of one kind.
const MAX_THREADS: usize = 64;
/// Default limit of all connections of a process: those for short reads and for searches, and that of the writer.
const MAX_CONNECTIONS: usize = 20;
/// Valid limits: at least one connection of each kind.
const VALID_MAX_CONNECTIONS: RangeInclusive<usize> = 3..=2 * MAX_THREADS + 1;

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

/// Options about the numbers of connections.
#[derive(Debug, Clone, Copy, Default)]
struct ConnectionOptions {
    max_connections: Option<usize>,
    readers: Option<usize>,
    searches: Option<usize>,
}

impl ConnectionOptions {
    /// Returns the numbers of connections for short reads and for searches: by default as many as cores each, within
    /// the limit. A number without a limit may exceed the default one.
    fn resolve(self, cores: usize) -> Result<(usize, usize)> {
        let cores = cores.clamp(2, MAX_THREADS);
        // One is the writer's.
        let all = self.max_connections.unwrap_or(MAX_CONNECTIONS) - 1;
        let rest = |used: usize| cores.min(all.saturating_sub(used)).max(1);
        let (readers, searches) = match (self.readers, self.searches) {
            (Some(readers), Some(searches)) => (readers, searches),
            (Some(readers), None) => (readers, rest(readers)),
            (None, Some(searches)) => (rest(searches), searches),
            (None, None) => {
                let searches = cores.min(all / 2);
                (rest(searches), searches)
            }
        };
        match self.max_connections {
            Some(max) if readers + searches > all => Err(Error::Failed(format!(
                "`max_connections={max}` is too low for readers={readers}, searches={searches} and the writer: write \
                 max_connections={} or fewer readers or searches",
                readers + searches + 1
            ))),
            _ => Ok((readers, searches)),
        }
    }
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
        let mut location = Self {
            file: (path != ":memory:").then(|| PathBuf::from(path)),
            synchronous: Synchronous::Full,
            readers: 0,
            searches: 0,
            search_timeout: SEARCH_TIMEOUT,
        };
        let mut connections = ConnectionOptions::default();
        for option in options.split('&').filter(|option| !option.is_empty()) {
            location.set(&mut connections, option).ok_or_else(|| {
                let (least, most) = VALID_MAX_CONNECTIONS.into_inner();
                Error::Failed(format!(
                    "`{option}` of `{url}` is not a valid option: write synchronous=full, synchronous=normal, \
                     max_connections=N ({least} to {most}), readers=N, searches=N (1 to {MAX_THREADS}) or \
                     search_timeout=SECONDS (0.001 to 3600)"
                ))
            })?;
        }
        let cores = std::thread::available_parallelism().map_or(2, NonZero::get);
        (location.readers, location.searches) = connections.resolve(cores)?;
        Ok(location)
    }

    /// Sets an option. Returns `None` if its name or value is invalid.
    fn set(&mut self, connections: &mut ConnectionOptions, option: &str) -> Option<()> {
        let number = |count: &str, valid: RangeInclusive<usize>| {
            let count = count.parse().ok().filter(|count| valid.contains(count));
            count.map(Some)
        };
        match option.split_once('=')? {
            ("synchronous", "full") => self.synchronous = Synchronous::Full,
            ("synchronous", "normal") => self.synchronous = Synchronous::Normal,
            ("max_connections", count) => {
                connections.max_connections = number(count, VALID_MAX_CONNECTIONS)?;
            }
            ("readers", count) => connections.readers = number(count, 1..=MAX_THREADS)?,
            ("searches", count) => connections.searches = number(count, 1..=MAX_THREADS)?,
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
        assert!(default.readers + default.searches < MAX_CONNECTIONS);
        assert_eq!(default.search_timeout, Duration::from_secs(5));
    }

    /// Returns the numbers of connections for short reads and for searches on this number of cores.
    fn resolved(url: (Option<usize>, Option<usize>, Option<usize>), cores: usize) -> (usize, usize) {
        let (max_connections, readers, searches) = url;
        let options = ConnectionOptions {
            max_connections,
            readers,
            searches,
        };
        options.resolve(cores).unwrap()
    }

    #[test]
    fn all_connections_are_within_one_limit_on_any_number_of_cores() {
        assert_eq!(resolved((None, None, None), 1), (2, 2));
        assert_eq!(resolved((None, None, None), 4), (4, 4));
        for cores in [10, 64, 1000] {
            assert_eq!(resolved((None, None, None), cores), (10, 9));
        }
        for max in 3..=129 {
            let (readers, searches) = resolved((Some(max), None, None), 1000);
            assert!(readers >= 1 && searches >= 1 && readers + searches < max, "{max}");
        }
        assert_eq!(resolved((Some(8), Some(5), None), 16), (5, 2));
        assert_eq!(resolved((Some(8), None, Some(2)), 16), (5, 2));
        assert_eq!(resolved((Some(8), Some(4), Some(3)), 16), (4, 3));
    }

    #[test]
    fn numbers_without_a_limit_may_exceed_the_default_one() {
        assert_eq!(resolved((None, Some(40), Some(30)), 2), (40, 30));
        assert_eq!(resolved((None, Some(40), None), 16), (40, 1));
    }

    #[test]
    fn contradictory_numbers_of_connections_are_refused_with_the_remedy() {
        for (options, remedy) in [
            ("max_connections=6&readers=3&searches=3", "max_connections=7"),
            ("readers=4&max_connections=5", "max_connections=6"),
        ] {
            let error = SqliteUrl::parse(&format!("sqlite:a?{options}")).unwrap_err();
            assert!(error.to_string().contains(remedy), "{error}");
        }
    }

    #[test]
    fn an_invalid_option_is_refused_with_the_valid_ones() {
        for option in [
            "max_connections=2",
            "max_connections=130",
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
                "max_connections=N (3 to 129)",
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
