//! What was measured.

use serde::Serialize;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// One server at one work on one database: the medians of the rounds.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    pub(crate) database: Database,
    pub(crate) work: Work,
    pub(crate) server: Server,
    pub(crate) requests_per_second: f64,
    #[serde(rename = "p50Ms")]
    pub(crate) p50_ms: f64,
    #[serde(rename = "p99Ms")]
    pub(crate) p99_ms: f64,
    /// Of the server's process, for each request.
    pub(crate) cpu_micros: f64,
    #[serde(rename = "peakMiB")]
    pub(crate) peak_mib: f64,
    /// The peak before the first request of the load.
    #[serde(rename = "idleMiB")]
    pub(crate) idle_mib: f64,
    /// Requests that were answered with anything but success.
    pub(crate) failed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    pub(crate) const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Server {
    Backend,
    Sqlx,
    Limit,
}

impl Server {
    pub(crate) const ALL: [Self; 3] = [Self::Backend, Self::Sqlx, Self::Limit];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Backend => "backend",
            Self::Sqlx => "sqlx",
            Self::Limit => "limit",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lower")]
pub(crate) enum Work {
    Get,
    List100,
    List10000,
    Create,
    Patch,
    Mixed,
}

impl Work {
    pub(crate) const ALL: [Self; 6] = [
        Self::Get,
        Self::List100,
        Self::List10000,
        Self::Create,
        Self::Patch,
        Self::Mixed,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List100 => "list of 100",
            Self::List10000 => "list of 10,000",
            Self::Create => "create",
            Self::Patch => "patch",
            Self::Mixed => "95% get, 5% patch",
        }
    }

    /// So many clients ask at the same time.
    pub(crate) fn clients(self) -> usize {
        match self {
            Self::List10000 => 8,
            Self::Get | Self::List100 | Self::Create | Self::Patch | Self::Mixed => 32,
        }
    }
}
