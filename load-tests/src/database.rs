//! A temporary database, which attacks can lock and freeze.

use private_postgres::{Cluster, ClusterSettings, Programs};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

use crate::failure::Failure;

/// A database system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DatabaseKind {
    Sqlite,
    Postgres,
}

impl DatabaseKind {
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
                let (holder, connection) = tokio_postgres::connect(cluster.url(), NoTls).await?;
                tokio::spawn(connection);
                let sql = "BEGIN; LOCK TABLE comments IN ACCESS EXCLUSIVE MODE";
                holder.batch_execute(sql).await?;
                Ok(TableLock::Postgres { _holder: holder })
            }
        }
    }
}
