//! Migrations of an application.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::dialect::SqlDialect;
use crate::error::{Error, Result};
use crate::migration::Migration;

/// Migrations of an application, for each kind of database, in the order of their versions.
///
/// The macro `migrations!` of `model-resource` reads them from a folder. By hand:
///
/// ```
/// use model_resource_store::{Migration, Migrations, SqlDialect, Store};
///
/// # async fn open() -> model_resource_store::StoreResult<()> {
/// let migrations = Migrations::new([
///     Migration::new(1, "tags", "CREATE TABLE tags (name text PRIMARY KEY);").down("DROP TABLE tags;"),
///     Migration::new(2, "rust", "INSERT INTO tags VALUES ('rust');").down("DELETE FROM tags WHERE name = 'rust';"),
/// ]);
/// let store = Store::open("sqlite::memory:").await?;
/// assert_eq!(store.migrate(&migrations).await?, ["V1__tags", "V2__rust"]);
/// assert!(store.migrate(&migrations).await?.is_empty());
/// assert_eq!(store.migrate_to(&migrations, 1).await?, ["V2__rust"]);
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(open()).unwrap();
/// ```
#[derive(Clone, Default)]
pub struct Migrations(Arc<MigrationLists>);

#[derive(Clone)]
struct MigrationLists {
    lists: DatabaseLists,
    source: Option<MigrationSource>,
}

/// Migrations of the kinds of database.
#[derive(Clone)]
pub(crate) enum DatabaseLists {
    /// For whichever database.
    Shared(MigrationList),
    /// For SQLite and for PostgreSQL; `None` if the folder has none for one of them.
    Separate([Option<MigrationList>; 2]),
}

impl DatabaseLists {
    /// Migrations for a kind of database, if it has any.
    pub(crate) fn of(&self, dialect: SqlDialect) -> Option<&MigrationList> {
        match self {
            Self::Shared(list) => Some(list),
            Self::Separate(lists) => lists[position(dialect)].as_ref(),
        }
    }
}

impl Default for MigrationLists {
    fn default() -> Self {
        Self {
            lists: DatabaseLists::Shared(Ok(Vec::new())),
            source: None,
        }
    }
}

/// Migrations for one kind of database, or the reason why there are none.
pub(crate) type MigrationList = Result<Vec<Migration>, String>;

/// Place of migrations that are files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationSource {
    /// Folder of the files, or of the folders `sqlite` and `postgres`.
    pub folder: PathBuf,
    /// Source file that calls `migrations!`. A newer one makes cargo build the program again.
    pub caller: PathBuf,
    /// Whether the program reads the folder when it starts; otherwise it has the files that it was compiled with.
    pub is_read_at_start: bool,
}

impl Migrations {
    /// Creates migrations for whichever database.
    pub fn new(migrations: impl IntoIterator<Item = Migration>) -> Self {
        let list = sorted(migrations.into_iter().collect());
        Self::of_lists(DatabaseLists::Shared(list), None)
    }

    pub(crate) fn of_lists(lists: DatabaseLists, source: Option<MigrationSource>) -> Self {
        Self(Arc::new(MigrationLists { lists, source }))
    }

    /// Replaces the migrations for one kind of database.
    pub fn on(self, dialect: SqlDialect, migrations: impl IntoIterator<Item = Migration>) -> Self {
        let MigrationLists { lists, source } = Arc::unwrap_or_clone(self.0);
        let mut lists = match lists {
            DatabaseLists::Shared(list) => [Some(list.clone()), Some(list)],
            DatabaseLists::Separate(lists) => lists,
        };
        lists[position(dialect)] = Some(sorted(migrations.into_iter().collect()));
        Self::of_lists(DatabaseLists::Separate(lists), source)
    }

    /// Migrations for a kind of database, in order.
    ///
    /// # Errors
    /// If two of them have one version, if their files have wrong names, or if there is no folder for the database.
    pub fn of(&self, dialect: SqlDialect) -> Result<&[Migration]> {
        match self.0.lists.of(dialect) {
            Some(Ok(list)) => Ok(list),
            Some(Err(cause)) => Err(Error::Failed(cause.clone())),
            None => Err(Error::Failed(format!(
                "there are no migrations for {dialect}: write them into the folder `{}`",
                dialect.name()
            ))),
        }
    }

    /// Whether there are migrations for a kind of database, or an empty folder for them.
    pub fn has(&self, dialect: SqlDialect) -> bool {
        self.0.lists.of(dialect).is_some()
    }

    /// Whether the same migrations are for whichever database: their files are directly in the folder, or they were made
    /// by [`Migrations::new`]. Their SQL may be valid on one database only.
    pub fn is_shared(&self) -> bool {
        matches!(self.0.lists, DatabaseLists::Shared(_))
    }

    /// Lists of the kinds of database.
    pub(crate) fn lists(&self) -> &DatabaseLists {
        &self.0.lists
    }

    /// Folder of the migrations, if they are files.
    pub fn source(&self) -> Option<&MigrationSource> {
        self.0.source.as_ref()
    }
}

/// Position of a database's list.
fn position(dialect: SqlDialect) -> usize {
    match dialect {
        SqlDialect::Sqlite => 0,
        SqlDialect::Postgres => 1,
    }
}

/// Sorts migrations by their versions, and rejects two of one version.
pub(crate) fn sorted(mut migrations: Vec<Migration>) -> MigrationList {
    migrations.sort_by_key(Migration::version);
    let same = migrations
        .windows(2)
        .find(|pair| pair[0].version() == pair[1].version());
    match same {
        Some(pair) => Err(format!(
            "the migrations {} and {} have one version: give one of them the next free version",
            pair[0].label(),
            pair[1].label()
        )),
        None => Ok(migrations),
    }
}

impl fmt::Debug for Migrations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = |dialect| match self.0.lists.of(dialect) {
            Some(Ok(list)) => Some(list.iter().map(Migration::label).collect::<Vec<_>>()),
            _ => None,
        };
        f.debug_struct("Migrations")
            .field("sqlite", &labels(SqlDialect::Sqlite))
            .field("postgres", &labels(SqlDialect::Postgres))
            .field("source", &self.0.source)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_migrations_of_one_version_are_rejected_by_name() {
        let list = sorted(vec![Migration::new(2, "b", ""), Migration::new(2, "a", "")]);
        assert!(list.unwrap_err().contains("V2__b and V2__a"));
    }

    #[test]
    fn migrations_are_shared_until_one_database_has_its_own() {
        let shared = Migrations::new([Migration::new(1, "a", "")]);
        assert!(shared.is_shared());
        let separate = shared.on(SqlDialect::Sqlite, []);
        assert!(!separate.is_shared());
        assert_eq!(separate.of(SqlDialect::Sqlite).unwrap(), []);
        assert_eq!(separate.of(SqlDialect::Postgres).unwrap().len(), 1);
    }
}
