//! A temporary database, which attacks can lock and freeze.

use std::time::{Duration, Instant};

use private_postgres::{Cluster, ClusterSettings, Programs};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

use crate::failure::Failure;

/// Connections of other clients.
const OTHERS: &str =
    "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
/// Maximum time of a statement whose client is gone.
const MAX_STATEMENT: Duration = Duration::from_secs(30);

/// A database system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DatabaseKind {
    Sqlite,
    Postgres,
}

impl DatabaseKind {
    pub(crate) const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    /// Parses a name, or `both`.
    pub(crate) fn parse_all(name: &str) -> Result<Vec<Self>, Failure> {
        match name {
            "both" => Ok(Self::ALL.to_vec()),
            _ => Ok(vec![Self::parse(name)?]),
        }
    }

    pub(crate) fn parse(name: &str) -> Result<Self, Failure> {
        match name {
            "sqlite" => Ok(Self::Sqlite),
            "postgres" => Ok(Self::Postgres),
            _ => Err(format!("--database {name}: write sqlite or postgres").into()),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// A database, removed on drop.
pub(crate) enum Database {
    Sqlite(TempDir),
    Postgres(Box<Cluster>),
}

/// A lock that others wait for, released on drop.
pub(crate) enum TableLock {
    Sqlite { _transaction: Connection },
    Postgres { _holder: Client },
}

impl Database {
    pub(crate) fn create(kind: DatabaseKind) -> Result<Self, Failure> {
        match kind {
            DatabaseKind::Sqlite => Ok(Self::Sqlite(TempDir::new()?)),
            DatabaseKind::Postgres => {
                let programs = Programs::find().ok_or("PostgreSQL is not installed")?;
                let target = std::env::temp_dir();
                let cluster = Cluster::start(&target, &programs, &ClusterSettings::durable())?;
                Ok(Self::Postgres(Box::new(cluster)))
            }
        }
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => format!("sqlite:{}", folder.path().join("siege.db").display()),
            Self::Postgres(cluster) => cluster.url().to_owned(),
        }
    }

    /// Locks the comments against reads and writes; on SQLite, which has no table locks, the database against writes.
    pub(crate) async fn lock_comments(&self) -> Result<TableLock, Failure> {
        match self {
            Self::Sqlite(folder) => {
                let transaction = Connection::open(folder.path().join("siege.db"))?;
                transaction.execute_batch("BEGIN IMMEDIATE")?;
                Ok(TableLock::Sqlite {
                    _transaction: transaction,
                })
            }
            Self::Postgres(cluster) => {
                let holder = connect(cluster).await?;
                let sql = "BEGIN; LOCK TABLE comments IN ACCESS EXCLUSIVE MODE";
                holder.batch_execute(sql).await?;
                Ok(TableLock::Postgres { _holder: holder })
            }
        }
    }

    /// Begins a transaction that reads, so that no checkpoint can reset the log of SQLite.
    pub(crate) fn read_for_long(&self) -> Result<Option<Connection>, Failure> {
        let Self::Sqlite(folder) = self else {
            return Ok(None);
        };
        let transaction = Connection::open(folder.path().join("siege.db"))?;
        transaction.execute_batch("BEGIN; SELECT count(*) FROM articles")?;
        Ok(Some(transaction))
    }

    /// Crashes a database server and starts it again, which recovers what was committed.
    pub(crate) fn crash(&self) -> Result<(), Failure> {
        if let Self::Postgres(cluster) = self {
            cluster.stop()?;
            cluster.resume()?;
        }
        Ok(())
    }

    /// Ends all connections to a database server but the own one.
    pub(crate) async fn terminate_connections(&self) -> Result<(), Failure> {
        if let Self::Postgres(cluster) = self {
            let sql = format!("SELECT pg_terminate_backend(pid) {OTHERS}");
            connect(cluster).await?.batch_execute(&sql).await?;
        }
        Ok(())
    }

    /// Waits until a database server has no connection but the own one. A statement of a killed process goes on to its
    /// end.
    pub(crate) async fn until_unused(&self) -> Result<(), Failure> {
        let Self::Postgres(cluster) = self else {
            return Ok(());
        };
        let client = connect(cluster).await?;
        let begin = Instant::now();
        while client
            .query_one(&format!("SELECT count(*) {OTHERS}"), &[])
            .await?
            .get::<_, i64>(0)
            > 0
        {
            if begin.elapsed() > MAX_STATEMENT {
                return Err("a connection of the killed server stays open".into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}

async fn connect(cluster: &Cluster) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(cluster.url(), NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
