//! Databases that live as long as a test.

use std::sync::Arc;

use tempfile::TempDir;

use crate::environment::DATABASE;
#[cfg(feature = "postgres")]
use crate::postgres::ScratchDatabase;

/// Empty database that is dropped with the last clone of this value.
#[derive(Clone)]
pub struct TemporaryDatabase(Arc<Kind>);

enum Kind {
    Memory,
    File(TempDir),
    #[cfg(feature = "postgres")]
    Postgres(ScratchDatabase),
}

impl TemporaryDatabase {
    /// Creates the database that the environment variable `TEST_DATABASE` names: `sqlite` (in memory, the default),
    /// `file`, `postgres`, or the URL of a PostgreSQL server. The same tests run on any of them.
    ///
    /// # Panics
    /// If the variable has another value.
    #[track_caller]
    pub fn from_environment() -> Self {
        let value = std::env::var(DATABASE).ok();
        match value.as_deref() {
            None if cfg!(feature = "sqlite") => Self::sqlite(),
            Some("sqlite") => Self::sqlite(),
            Some("file") => Self::sqlite_file(),
            #[cfg(feature = "postgres")]
            None | Some("postgres") => Self::postgres(),
            #[cfg(feature = "postgres")]
            Some(url) if url.starts_with("postgres") && url.contains("://") => Self::postgres(),
            other => panic!(
                "{DATABASE} is `sqlite`, `file`, `postgres` or the URL of a PostgreSQL server, not {other:?}"
            ),
        }
    }

    /// Creates a SQLite database in memory.
    pub fn sqlite() -> Self {
        Self(Arc::new(Kind::Memory))
    }

    /// Creates a SQLite database in a file, which other programs can open as well.
    pub fn sqlite_file() -> Self {
        let folder = TempDir::new().expect("a temporary folder can be created");
        Self(Arc::new(Kind::File(folder)))
    }

    /// Creates a database on the PostgreSQL server of `TEST_POSTGRES_URL`, of a URL in `TEST_DATABASE`, or of `PGHOST`
    /// (with `PGPORT`, `PGUSER`, `PGPASSWORD` and `PGDATABASE`). Without these variables, the process starts a server
    /// with the installed programs.
    ///
    /// # Panics
    /// If there is no server, or if it refuses to create a database.
    #[cfg(feature = "postgres")]
    #[track_caller]
    pub fn postgres() -> Self {
        Self(Arc::new(Kind::Postgres(ScratchDatabase::create())))
    }

    /// URL of the database, as `Store::open` takes it.
    pub fn url(&self) -> String {
        match &*self.0 {
            Kind::Memory => "sqlite::memory:".to_owned(),
            Kind::File(folder) => format!("sqlite:{}", folder.path().join("test.db").display()),
            #[cfg(feature = "postgres")]
            Kind::Postgres(database) => database.url(),
        }
    }

    /// URL of the database at another address of its PostgreSQL server, such as that of a connection pooler. For SQLite
    /// it is that of [`url`](Self::url).
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "only PostgreSQL has an address")
    )]
    pub fn url_behind(&self, address: &str) -> String {
        match &*self.0 {
            Kind::Memory | Kind::File(_) => self.url(),
            #[cfg(feature = "postgres")]
            Kind::Postgres(database) => database.url_at(address),
        }
    }

    /// Name of the database on its PostgreSQL server; `None` in SQLite.
    pub fn postgres_name(&self) -> Option<&str> {
        match &*self.0 {
            Kind::Memory | Kind::File(_) => None,
            #[cfg(feature = "postgres")]
            Kind::Postgres(database) => Some(database.name()),
        }
    }

    /// Whether the database is PostgreSQL.
    pub fn is_postgres(&self) -> bool {
        self.postgres_name().is_some()
    }
}

impl std::fmt::Debug for TemporaryDatabase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match &*self.0 {
            Kind::Memory => "memory",
            Kind::File(_) => "file",
            #[cfg(feature = "postgres")]
            Kind::Postgres(database) => database.name(),
        };
        f.debug_tuple("TemporaryDatabase").field(&kind).finish()
    }
}
