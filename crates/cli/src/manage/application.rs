//! An application as its commands use it: the api, its authenticator, its tables and its migrations.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::OnceLock;

use model_resource::store::StoreResult;
use model_resource::{
    Api, ApiService, Caller, Health, Migrations, RouteInfo, Server, SqlDialect, Store, Table,
};
use model_resource_migrations::{MigrationAnswers, SchemaState, check_migrations};

use crate::failure::Failure;
use crate::manage::database::dialect_of;
use crate::manage::program::ProgramNames;
use crate::manage::settings::Settings;

/// Future of a command, which runs on the main task.
pub(crate) type CommandFuture<T = ()> = Pin<Box<dyn Future<Output = Result<T, Failure>>>>;
/// Function that makes the api, with all registrations.
pub(crate) type MakeApi = Box<dyn Fn() -> Api + Send + Sync>;
/// Function that sets the authenticator of an api.
pub(crate) type SetAuthenticator = Box<dyn Fn(Api, &Settings) -> Api + Send + Sync>;
/// Function that changes the server.
pub(crate) type ChangeServer = Box<dyn Fn(Server) -> Server + Send + Sync>;
/// Function that returns the lines that `serve` prints at the start.
pub(crate) type Hints = Box<dyn Fn(SocketAddr) -> String + Send + Sync>;
/// Function that returns the account of a name as a caller.
pub(crate) type FindCaller = Box<dyn Fn(Store, String) -> CommandFuture<Caller> + Send + Sync>;

/// An application as its commands use it.
pub(crate) struct ManagedApplication {
    pub(crate) names: ProgramNames,
    make_api: MakeApi,
    pub(crate) authenticator: Option<SetAuthenticator>,
    pub(crate) migrations: Option<Migrations>,
    /// Tables, columns and indexes of the migrations that no model declares.
    pub(crate) unmanaged: Vec<String>,
    /// Tables in addition to those of the api, such as those of sessions.
    pub(crate) other_tables: Vec<&'static Table>,
    tables: OnceLock<Vec<&'static Table>>,
    /// Roles that the policies use.
    pub(crate) roles: Vec<String>,
    pub(crate) change_server: Option<ChangeServer>,
    pub(crate) hints: Option<Hints>,
    pub(crate) find_caller: Option<FindCaller>,
}

impl ManagedApplication {
    pub(crate) fn new(names: ProgramNames, make_api: MakeApi) -> Self {
        Self {
            names,
            make_api,
            authenticator: None,
            migrations: None,
            unmanaged: Vec::new(),
            other_tables: Vec::new(),
            tables: OnceLock::new(),
            roles: Vec::new(),
            change_server: None,
            hints: None,
            find_caller: None,
        }
    }

    /// Returns the api as the server uses it by default.
    pub(crate) fn api(&self) -> Api {
        self.authenticated(&Settings::default())
    }

    /// Returns the api without its authenticator.
    pub(crate) fn unauthenticated_api(&self) -> Api {
        let api = (self.make_api)();
        match self.names.version {
            Some(version) => api.version(version),
            None => api,
        }
    }

    pub(crate) fn has_authenticator(&self) -> bool {
        self.authenticator.is_some()
    }

    fn authenticated(&self, settings: &Settings) -> Api {
        let api = self.unauthenticated_api();
        match &self.authenticator {
            Some(set) => set(api, settings),
            None => api,
        }
    }

    /// Lists the writes that are open to anyone. Without an authenticator all of them are, and none is listed.
    ///
    /// # Panics
    /// If the api has startup errors.
    pub(crate) fn public_writes(&self) -> Vec<RouteInfo> {
        let writes = self.api().compile().public_writes();
        if self.has_authenticator() {
            writes
        } else {
            Vec::new()
        }
    }

    /// Returns the server as the application sets it.
    pub(crate) fn server(&self) -> Server {
        match &self.change_server {
            Some(change) => change(Server::default()),
            None => Server::default(),
        }
    }

    /// Returns the tables of the application, each after the tables it references.
    pub(crate) fn tables(&self) -> &[&'static Table] {
        self.tables.get_or_init(|| {
            let mut tables = self.unauthenticated_api().tables();
            for other in &self.other_tables {
                if !tables.iter().any(|table| table.name == other.name) {
                    tables.push(other);
                }
            }
            tables
        })
    }

    /// Opens a database, runs its migrations and verifies its tables.
    pub(crate) async fn open(&self, url: &str) -> StoreResult<Store> {
        let store = Store::open(url).await?;
        match self.migrate(&store).await {
            Ok(_) => Ok(store),
            Err(error) => {
                store.close().await;
                Err(error)
            }
        }
    }

    /// Runs the migrations of a database, or creates missing tables if there are none, and verifies its tables. Returns
    /// the names of the migrations that it applied.
    pub(crate) async fn migrate(&self, store: &Store) -> StoreResult<Vec<String>> {
        let applied = match &self.migrations {
            Some(migrations) => store.migrate(migrations).await?,
            None => {
                store.create_tables(self.tables()).await?;
                Vec::new()
            }
        };
        store.verify(self.tables()).await?;
        Ok(applied)
    }

    /// Dialect of the database that is used if no other is named.
    pub(crate) fn default_dialect(&self) -> Result<SqlDialect, Failure> {
        match dialect_of(&self.names.database)? {
            // A program without SQLite has the default of any other, unless it names its database.
            SqlDialect::Sqlite if !SqlDialect::COMPILED_IN.contains(&SqlDialect::Sqlite) => {
                Ok(SqlDialect::Postgres)
            }
            named => Ok(named),
        }
    }

    /// Fails if migrations do not lead to the models, with the differences and the remedy. Migrations for whichever
    /// database are checked for the one in use, since their SQL may be valid on that one only.
    pub(crate) fn check_models(&self, in_use: SqlDialect) -> Result<(), Failure> {
        let Some(migrations) = &self.migrations else {
            return Ok(());
        };
        let answers = self.unmanaged.iter();
        let answers = answers.fold(MigrationAnswers::new(), |answers, name| answers.keep(name));
        for dialect in checked_dialects(migrations, in_use) {
            check_migrations(dialect, self.tables(), migrations, &answers).map_err(|error| {
                let program = &self.names.name;
                format!("{error}; write a migration by `{program} make-migration NAME`")
            })?;
        }
        Ok(())
    }

    /// Returns the service on a database.
    pub(crate) fn service(&self, store: Store, settings: &Settings) -> ApiService {
        self.service_with(store, settings, |api| api)
    }

    /// Returns the service on a database, after a change of the api.
    pub(crate) fn service_with(
        &self,
        store: Store,
        settings: &Settings,
        change: impl FnOnce(Api) -> Api,
    ) -> ApiService {
        let health = Health::new().server(settings.server.clone());
        let health = match &self.migrations {
            Some(migrations) => health.migrations(migrations.clone()),
            None => health,
        };
        let api = change(settings.apply(self.authenticated(settings)));
        api.health(health).store(store).into_service()
    }
}

/// Returns the dialects whose migrations must lead to the models. Those in folders need not be of a database that the
/// program is compiled with, but only a program with SQLite can read those of SQLite.
fn checked_dialects(migrations: &Migrations, in_use: SqlDialect) -> Vec<SqlDialect> {
    if migrations.is_shared() {
        return vec![in_use];
    }
    let is_checked =
        |dialect: &SqlDialect| migrations.has(*dialect) && SchemaState::can_read_migrations(*dialect);
    SqlDialect::ALL.into_iter().filter(is_checked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_without_folders_are_checked_for_the_database_in_use() {
        for dialect in SqlDialect::ALL {
            assert_eq!(checked_dialects(&Migrations::default(), dialect), [dialect]);
        }
    }

    #[test]
    fn migrations_in_folders_are_checked_for_every_database_whose_migrations_can_be_read() {
        let migrations = Migrations::default().on(SqlDialect::Sqlite, []);
        let readable = SqlDialect::ALL.into_iter();
        let readable: Vec<_> = readable
            .filter(|dialect| SchemaState::can_read_migrations(*dialect))
            .collect();
        assert!(readable.contains(&SqlDialect::Postgres));
        for dialect in SqlDialect::ALL {
            assert_eq!(checked_dialects(&migrations, dialect), readable);
        }
    }
}
