//! Results of the measurements.

use serde::Serialize;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Result of one server, workload and database: the medians of the rounds.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    pub(crate) database: Database,
    pub(crate) work: Work,
    pub(crate) server: Server,
    pub(crate) clients: usize,
    pub(crate) requests_per_second: f64,
    #[serde(rename = "p50Ms")]
    pub(crate) p50_ms: f64,
    #[serde(rename = "p99Ms")]
    pub(crate) p99_ms: f64,
    /// Processor time of the server per request.
    pub(crate) cpu_micros: f64,
    #[serde(rename = "peakMiB")]
    pub(crate) peak_mib: f64,
    /// Peak memory before the first request of the load.
    #[serde(skip)]
    pub(crate) idle_mib: f64,
    /// Processor time of the load generator per request.
    #[serde(skip)]
    pub(crate) load_micros: f64,
    /// Requests without a successful response.
    #[serde(skip)]
    pub(crate) failed: u64,
}

/// Lists of a table with this number of rows: the medians of several consecutive requests.
#[derive(Debug, Clone)]
pub(crate) struct Growth {
    pub(crate) database: Database,
    pub(crate) server: Server,
    pub(crate) rows: u64,
    pub(crate) first_byte_ms: f64,
    pub(crate) whole_ms: f64,
    /// Size of the list.
    pub(crate) mib: f64,
    pub(crate) peak_mib: f64,
    pub(crate) idle_mib: f64,
}

/// One page of `backend`'s list of a long table, requested repeatedly by one client.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page {
    pub(crate) database: Database,
    /// Always `page`, for symmetry with the rows of the comparison.
    pub(crate) work: &'static str,
    pub(crate) server: Server,
    /// Number of rows in the table.
    pub(crate) rows: u64,
    /// Sort order.
    pub(crate) order: &'static str,
    pub(crate) number: u64,
    pub(crate) by: By,
    pub(crate) requests_per_second: f64,
    #[serde(rename = "p50Ms")]
    pub(crate) p50_ms: f64,
    #[serde(rename = "p99Ms")]
    pub(crate) p99_ms: f64,
    /// Processor time of the server per request.
    pub(crate) cpu_micros: f64,
}

/// Kind of pagination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    Cursor,
    Offset,
}

impl By {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cursor => "cursor",
            Self::Offset => "offset",
        }
    }
}

/// A page of 100 articles in one media type.
#[derive(Debug, Clone)]
pub(crate) struct Html {
    pub(crate) database: Database,
    pub(crate) media_type: &'static str,
    pub(crate) requests_per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Processor time of the server per request.
    pub(crate) cpu_micros: f64,
    /// Size of the response.
    pub(crate) kib: f64,
}

/// The OpenAPI document of a server of many models.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) database: Database,
    pub(crate) models: u64,
    /// Time of the first request, which builds the document.
    pub(crate) first_ms: f64,
    /// Time of a later request.
    pub(crate) next_ms: f64,
    pub(crate) mib: f64,
}

/// Gets from a server of many models.
#[derive(Debug, Clone)]
pub(crate) struct Models {
    pub(crate) database: Database,
    pub(crate) models: u64,
    /// Number of models that the clients request.
    pub(crate) requested: u64,
    pub(crate) requests_per_second: f64,
    pub(crate) cpu_micros: f64,
    pub(crate) peak_mib: f64,
}

/// Time from the start of a process to its first response.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) database: Database,
    pub(crate) models: u64,
    /// Time on a database without tables.
    pub(crate) fresh_ms: f64,
    /// Time on a database with tables.
    pub(crate) existing_ms: f64,
}

/// All results of a run.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) articles: Vec<Outcome>,
    pub(crate) growth: Vec<Growth>,
    pub(crate) pages: Vec<Page>,
    pub(crate) html: Vec<Html>,
    /// Servers with and without accounts.
    pub(crate) secured: Vec<Outcome>,
    /// Writes with and without an `Idempotency-Key`.
    pub(crate) keyed: Vec<Outcome>,
    /// Lines that are written one by one, and with their invoice.
    pub(crate) nested: Vec<Outcome>,
    pub(crate) models: Vec<Models>,
    pub(crate) documents: Vec<Document>,
    pub(crate) starts: Vec<Start>,
    /// Versions and settings of the databases.
    pub(crate) versions: Vec<String>,
}

impl Outcomes {
    /// Returns the machine-readable rows: the comparison, and the pages.
    pub(crate) fn rows(&self) -> serde_json::Result<Vec<serde_json::Value>> {
        let compared = self.articles.iter().map(serde_json::to_value);
        compared
            .chain(self.pages.iter().map(serde_json::to_value))
            .collect()
    }
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
    /// `backend`'s articles, served by another commit.
    #[value(skip)]
    Baseline,
    /// `backend` with accounts and policies.
    #[value(skip)]
    Secured,
    /// `backend` with accounts and policies, and with a cache of credentials on PostgreSQL, too.
    #[value(skip)]
    Cached,
    /// `backend`'s articles, whose requests have an `Idempotency-Key`.
    #[value(skip)]
    Keyed,
    /// `backend`'s articles, whose requests have keys that begin with the time.
    #[value(skip)]
    KeyedByTime,
}

impl Server {
    /// Servers of the report.
    pub(crate) const ALL: [Self; 3] = [Self::Backend, Self::Sqlx, Self::Limit];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Backend => "backend",
            Self::Sqlx => "sqlx",
            Self::Limit => "limit",
            Self::Baseline => "baseline",
            Self::Secured => "secured",
            Self::Cached => "cached",
            Self::Keyed => "keyed",
            Self::KeyedByTime => "keyed by time",
        }
    }
}

/// Lines of an invoice.
pub(crate) const LINES: u64 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lower")]
pub(crate) enum Work {
    Get,
    List100,
    List10000,
    Expanded100,
    Tagged100,
    Filtered,
    Create,
    Patch,
    Mixed,
    /// Create a line of an invoice.
    #[value(skip)]
    Line,
    /// Create an invoice with 20 lines.
    #[value(skip)]
    Invoice,
}

impl Work {
    pub(crate) const ALL: [Self; 9] = [
        Self::Get,
        Self::List100,
        Self::List10000,
        Self::Expanded100,
        Self::Tagged100,
        Self::Filtered,
        Self::Create,
        Self::Patch,
        Self::Mixed,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List100 => "list of 100",
            Self::List10000 => "list of 10,000",
            Self::Expanded100 => "list of 100 with their categories",
            Self::Tagged100 => "list of 100 with their tags",
            Self::Filtered => "filtered, sorted page of 50",
            Self::Create => "create",
            Self::Patch => "patch",
            Self::Mixed => "95% get, 5% patch",
            Self::Line => "create a line",
            Self::Invoice => "create an invoice with 20 lines",
        }
    }

    /// Whether the hand-written server supports the workload.
    pub(crate) fn has_limit(self) -> bool {
        match self {
            Self::Expanded100 | Self::Tagged100 | Self::Filtered | Self::Line | Self::Invoice => false,
            Self::Get | Self::List100 | Self::List10000 | Self::Create | Self::Patch | Self::Mixed => true,
        }
    }
}
