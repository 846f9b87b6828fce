//! The data: seeded once by `backend`, then copied for every server.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tokio_postgres::NoTls;

use crate::outcome::{Database, Failure};

pub(super) struct Data {
    database: Database,
    folder: PathBuf,
    /// The server, for PostgreSQL.
    postgres: String,
    /// In the names of PostgreSQL's databases, so that two runs do not meet.
    run: u32,
    made: Vec<String>,
}

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
        })
    }

    pub(super) fn database(&self) -> Database {
        self.database
    }

    /// Makes a database with so many articles.
    pub(super) async fn seed(&mut self, backend: &Path, rows: u64) -> Result<(), Failure> {
        let name = seeded(rows);
        self.remove(&name).await?;
        if self.database == Database::Postgres {
            self.tell(&format!("CREATE DATABASE {}", self.full(&name)))
                .await?;
        }
        self.made.push(name.clone());
        let output = Command::new(backend)
            .args([
                "seed",
                "--articles",
                &rows.to_string(),
                "--database",
                &self.url(&name)?,
            ])
            .stdout(Stdio::null())
            .output()?;
        if !output.status.success() {
            return Err(format!("backend seed failed: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        if self.database == Database::Sqlite {
            // All of it must be in the one file that is copied.
            let connection = rusqlite::Connection::open(self.file(&name))?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))?;
        }
        Ok(())
    }

    /// A copy for one server; gives its URL.
    pub(super) async fn copy(&mut self, rows: u64, name: &str) -> Result<String, Failure> {
        self.remove(name).await?;
        match self.database {
            Database::Sqlite => drop(std::fs::copy(self.file(&seeded(rows)), self.file(name))?),
            Database::Postgres => {
                let (copy, original) = (self.full(name), self.full(&seeded(rows)));
                self.tell(&format!("CREATE DATABASE {copy} TEMPLATE {original}"))
                    .await?;
            }
        }
        if !self.made.iter().any(|made| made == name) {
            self.made.push(name.to_owned());
        }
        self.url(name)
    }

    /// Removes whatever was made.
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
                self.tell(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
                    .await
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.db"))
    }

    fn full(&self, name: &str) -> String {
        format!("bench_{}_{name}", self.run)
    }

    fn url(&self, name: &str) -> Result<String, Failure> {
        match self.database {
            Database::Sqlite => Ok(format!("sqlite:{}", self.file(name).display())),
            Database::Postgres => {
                let (address, options) = self.postgres.split_once('?').unwrap_or((&self.postgres, ""));
                let at = address.find("://").map_or(0, |at| at + 3);
                let server = address[at..]
                    .find('/')
                    .map_or(address, |slash| &address[..at + slash]);
                let mark = if options.is_empty() { "" } else { "?" };
                Ok(format!("{server}/{}{mark}{options}", self.full(name)))
            }
        }
    }

    async fn tell(&self, sql: &str) -> Result<(), Failure> {
        let (client, connection) = tokio_postgres::connect(&self.postgres, NoTls).await?;
        let connection = tokio::spawn(connection);
        client.batch_execute(sql).await?;
        drop(client);
        connection.await??;
        Ok(())
    }
}

fn seeded(rows: u64) -> String {
    format!("seed_{rows}")
}
