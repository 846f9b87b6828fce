//! The databases: created once, filled, copied for every server, dropped.

use std::path::{Path, PathBuf};
use std::process::Command;

use tokio_postgres::NoTls;

use super::rows;
use crate::outcome::{Database, Failure};

pub(super) struct Data {
    database: Database,
    folder: PathBuf,
    /// URL of the PostgreSQL server.
    postgres: String,
    /// Part of the names of PostgreSQL databases, so that concurrent runs do not collide.
    run: u32,
    made: Vec<String>,
    /// Current number of rows in the long table.
    grown: u64,
}

/// Name of the database with the long table.
pub(super) const GROWN: &str = "grown";

impl Data {
    pub(super) fn new(database: Database, folder: &Path, postgres: Option<&str>) -> Result<Self, Failure> {
        let postgres = match (database, postgres) {
            (Database::Postgres, None) => {
                return Err("no PostgreSQL server is known: give its URL with --postgres or TEST_POSTGRES_URL, or leave \
                            it out with --database sqlite"
                    .into());
            }
            (_, postgres) => postgres.unwrap_or_default().to_owned(),
        };
        std::fs::create_dir_all(folder)?;
        Ok(Self {
            database,
            folder: folder.to_owned(),
            postgres,
            run: std::process::id(),
            made: Vec::new(),
            grown: 0,
        })
    }

    pub(super) fn database(&self) -> Database {
        self.database
    }

    /// Creates an empty database, replacing an existing one. Returns its URL.
    pub(super) async fn make(&mut self, name: &str) -> Result<String, Failure> {
        self.remove(name).await?;
        if self.database == Database::Postgres {
            self.administer(&format!("CREATE DATABASE {}", self.full(name)))
                .await?;
        }
        self.note(name);
        Ok(self.url(name))
    }

    /// Creates a database with the tables of `backend`, its categories and this number of articles. Returns its URL.
    pub(super) async fn seed(
        &mut self,
        backend: &Path,
        name: &str,
        articles: u64,
    ) -> Result<String, Failure> {
        let url = self.make(name).await?;
        let output = Command::new(backend)
            .args(["seed", "--articles", "0", "--database", &url])
            .output()?;
        if !output.status.success() {
            return Err(format!("backend seed failed: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        self.add(name, &rows::articles(self.database, 0..articles))
            .await?;
        Ok(url)
    }

    /// Extends the long table, which all read-only parts share, to at least this length. Returns the database's URL.
    pub(super) async fn grow(&mut self, backend: &Path, articles: u64) -> Result<String, Failure> {
        if self.grown == 0 {
            self.seed(backend, GROWN, articles).await?;
        } else if self.grown < articles {
            let missing = rows::articles(self.database, self.grown..articles);
            self.add(GROWN, &missing).await?;
        }
        self.grown = self.grown.max(articles);
        Ok(self.url(GROWN))
    }

    /// Runs statements that add rows, then checkpoints or vacuums, so that the database is like one in use.
    pub(super) async fn add(&self, name: &str, sql: &str) -> Result<(), Failure> {
        match self.database {
            Database::Sqlite => {
                let connection = rusqlite::Connection::open(self.file(name))?;
                connection.execute_batch(sql)?;
                // All rows must be in the one file that is copied.
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))?;
                Ok(())
            }
            Database::Postgres => {
                let url = self.url(name);
                tell(&url, sql).await?;
                tell(&url, "VACUUM ANALYZE").await
            }
        }
    }

    /// Copies a database for one server. Returns its URL.
    pub(super) async fn copy(&mut self, original: &str, name: &str) -> Result<String, Failure> {
        self.remove(name).await?;
        match self.database {
            Database::Sqlite => drop(std::fs::copy(self.file(original), self.file(name))?),
            Database::Postgres => {
                let (copy, original) = (self.full(name), self.full(original));
                self.administer(&format!("CREATE DATABASE {copy} TEMPLATE {original}"))
                    .await?;
            }
        }
        self.note(name);
        Ok(self.url(name))
    }

    /// Returns the database's version and, for PostgreSQL, the durability of its commits.
    pub(super) async fn version(&self) -> Result<String, Failure> {
        match self.database {
            Database::Sqlite => Ok(format!("SQLite {}, synchronous=FULL", rusqlite::version())),
            Database::Postgres => {
                let (client, connection) = tokio_postgres::connect(&self.postgres, NoTls).await?;
                tokio::spawn(connection);
                let mut settings = Vec::new();
                for setting in ["server_version", "fsync", "synchronous_commit"] {
                    let row = client
                        .query_one("SELECT current_setting($1)", &[&setting])
                        .await?;
                    settings.push(row.get::<_, String>(0));
                }
                let version = settings[0].split(' ').next().unwrap_or_default();
                let host = self.postgres.replace("%2F", "/");
                let way = if host.contains("@/") {
                    "a Unix socket"
                } else {
                    "TCP"
                };
                Ok(format!(
                    "PostgreSQL {version} on the same machine over {way}, fsync={}, synchronous_commit={}",
                    settings[1], settings[2]
                ))
            }
        }
    }

    /// Drops everything that was created.
    pub(super) async fn clear(&mut self) -> Result<(), Failure> {
        for name in std::mem::take(&mut self.made) {
            self.remove(&name).await?;
        }
        Ok(())
    }

    async fn remove(&self, name: &str) -> Result<(), Failure> {
        match self.database {
            Database::Sqlite => {
                for end in ["", "-wal", "-shm"] {
                    std::fs::remove_file(format!("{}{end}", self.file(name).display())).ok();
                }
                Ok(())
            }
            Database::Postgres => {
                let name = self.full(name);
                self.administer(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
                    .await
            }
        }
    }

    fn note(&mut self, name: &str) {
        if !self.made.iter().any(|made| made == name) {
            self.made.push(name.to_owned());
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.db"))
    }

    fn full(&self, name: &str) -> String {
        format!("bench_{}_{name}", self.run)
    }

    pub(super) fn url(&self, name: &str) -> String {
        match self.database {
            Database::Sqlite => format!("sqlite:{}", self.file(name).display()),
            Database::Postgres => {
                let (address, options) = self.postgres.split_once('?').unwrap_or((&self.postgres, ""));
                let at = address.find("://").map_or(0, |at| at + 3);
                let server = address[at..]
                    .find('/')
                    .map_or(address, |slash| &address[..at + slash]);
                let mark = if options.is_empty() { "" } else { "?" };
                format!("{server}/{}{mark}{options}", self.full(name))
            }
        }
    }

    async fn administer(&self, sql: &str) -> Result<(), Failure> {
        tell(&self.postgres, sql).await
    }
}

async fn tell(postgres: &str, sql: &str) -> Result<(), Failure> {
    let (client, connection) = tokio_postgres::connect(postgres, NoTls).await?;
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await?;
    drop(client);
    connection.await??;
    Ok(())
}
