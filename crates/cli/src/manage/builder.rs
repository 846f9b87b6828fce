//! `Manage`: the builder of an application's command line.

use std::net::SocketAddr;

use clap::Args;
use model_resource::store::StoreResult;
use model_resource::{Api, ApiService, Authenticate, Migrations, Server, Store, Table};

use crate::failure::Failure;
#[cfg(feature = "accounts")]
use crate::manage::accounts::AccountCommands;
use crate::manage::app_command::AppCommand;
use crate::manage::application::ManagedApplication;
use crate::manage::database::OpenDatabase;
use crate::manage::program::ProgramNames;
use crate::manage::settings::Settings;

/// Command line of an application.
///
/// [`manage!`](crate::manage!) creates one with the name, the version and the description of the package. Everything
/// else is optional:
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use clap::Args;
/// use model_resource::store::StoreError;
/// use model_resource::{Api, Draft, Model, model_resource};
/// use model_resource_cli::{OpenDatabase, manage};
///
/// #[derive(Model)]
/// struct Book {
///     #[column(primary_key)]
///     id: i64,
///     title: String,
/// }
///
/// #[model_resource(Book, "/books", "/books/<int:id>")]
/// struct BookResource;
///
/// fn api() -> Api {
///     Api::new("library").prefix("/api/v1").model_resource::<BookResource>()
/// }
///
/// /// Fills the database with demo data
/// #[derive(Args)]
/// struct Seed {
///     /// Number of books to add
///     #[arg(long, default_value_t = 100)]
///     books: usize,
/// }
///
/// async fn seed(database: OpenDatabase, seed: Seed) -> Result<(), StoreError> {
///     for number in 0..seed.books {
///         let book = Draft::new().with(Book::TITLE, format!("Book {number}"));
///         database.store.create(book).await?;
///     }
///     println!("{} books added to {}", seed.books, database.name);
///     Ok(())
/// }
///
/// #[tokio::main]
/// async fn main() -> ExitCode {
///     manage!(api).seed(seed).run().await
/// }
/// ```
///
/// The names of the settings are derived from that of the program: the program `my-library` reads `MY_LIBRARY_LISTEN`,
/// the file `my-library.toml`, and the database `sqlite:my-library.db` unless another one is named.
pub struct Manage {
    pub(crate) application: ManagedApplication,
    pub(crate) commands: Vec<AppCommand>,
    pub(crate) left_out: Vec<String>,
    pub(crate) setting_changes: Vec<SettingChange>,
    #[cfg(feature = "audit")]
    pub(crate) audit: Option<model_resource_audit::Audit>,
}

/// Change of a setting by the application.
pub(crate) struct SettingChange {
    pub(crate) setting: String,
    pub(crate) text: SettingText,
}

/// Part of a setting that an application changes.
pub(crate) enum SettingText {
    Help(String),
    Default(String),
}

/// Creates the command line of an application, with the name, the version and the description of the package that calls
/// it: `manage!(api).run().await`, where `api` is a function that returns the [`Api`]; see [`Manage`].
#[macro_export]
macro_rules! manage {
    ($api:expr) => {
        $crate::Manage::new(env!("CARGO_PKG_NAME"), $api)
            .version(env!("CARGO_PKG_VERSION"))
            .about(env!("CARGO_PKG_DESCRIPTION"))
    };
}

impl Manage {
    /// Creates the command line of a program. `api` returns the api with everything registered, but without an
    /// authenticator and a store.
    pub fn new(name: impl Into<String>, api: impl Fn() -> Api + Send + Sync + 'static) -> Self {
        Self {
            application: ManagedApplication::new(ProgramNames::of(name.into()), Box::new(api)),
            commands: Vec::new(),
            left_out: Vec::new(),
            setting_changes: Vec::new(),
            #[cfg(feature = "audit")]
            audit: None,
        }
    }

    /// Sets the version that `--version` prints, and that the metric `build_info` and the OpenAPI document have.
    pub fn version(mut self, version: &'static str) -> Self {
        self.application.names.version = Some(version);
        self
    }

    /// Sets the commit that the program was built from, which is shown after the version.
    pub fn commit(mut self, commit: &'static str) -> Self {
        self.application.names.commit = Some(commit);
        self
    }

    /// Sets the description of the program, the first line of its help.
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.application.names.about = Some(about.into()).filter(|about| !about.is_empty());
        self
    }

    /// Sets the prefix of the environment variables; `MY_LIBRARY_` by default for the program `my-library`.
    pub fn environment_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.application.names.prefix = prefix.into();
        self
    }

    /// Sets the file of settings that is read if it exists and no other is named; `my-library.toml` by default for the
    /// program `my-library`.
    pub fn settings_file(mut self, file: impl Into<String>) -> Self {
        self.application.names.file = file.into();
        self
    }

    /// Sets the database that is used if no other is named; `sqlite:my-library.db` by default for the program
    /// `my-library`.
    pub fn default_database(mut self, url: impl Into<String>) -> Self {
        self.application.names.database = url.into();
        self
    }

    /// Sets the migrations, such as `migrations!("migrations")`, and adds the commands `migrate` and `make-migration`. An
    /// application without migrations creates missing tables.
    pub fn migrations(mut self, migrations: Migrations) -> Self {
        self.application.migrations = Some(migrations);
        self
    }

    /// Names tables, columns (`books.shelf`) and indexes of the migrations that no model declares. `make-migration` keeps
    /// them.
    pub fn unmanaged(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = names.into_iter().map(Into::into);
        self.application.unmanaged.extend(names);
        self
    }

    /// Sets the authenticator of the api. The function gets the settings of the server, such as whether cookies are
    /// sent over TLS only.
    pub fn authenticator<A: Authenticate>(
        mut self,
        authenticator: impl Fn(&Settings) -> A + Send + Sync + 'static,
    ) -> Self {
        let set = move |api: Api, settings: &Settings| api.authenticator(authenticator(settings));
        self.application.authenticator = Some(Box::new(set));
        self
    }

    /// Sets the accounts of the application by their authenticator: adds it to the api, and adds the commands `user ..` and
    /// the option `--user` of `explain`. The constants of [`Account`](model_resource_security::Account) decide which
    /// commands there are: without a column of disabled accounts there is no `user disable`, for example.
    ///
    /// ```
    /// use model_resource::{Api, Field, Model};
    /// use model_resource_cli::Manage;
    /// use model_resource_security::{Account, Roles, Security};
    ///
    /// #[derive(Debug, Clone, Model)]
    /// struct Member {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     #[column(unique)]
    ///     name: String,
    ///     #[column(hidden)]
    ///     password_hash: String,
    ///     #[column(hidden, default = "")]
    ///     roles: String,
    /// }
    ///
    /// impl Account for Member {
    ///     const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
    ///     const PASSWORD_HASH: Field<Self, String> = Member::PASSWORD_HASH;
    ///     const ROLES: Roles<Self> = Roles::words(Member::ROLES).known(&["admin"]);
    /// }
    ///
    /// fn api() -> Api {
    ///     Api::new("club").register(Security::<Member>::routes())
    /// }
    ///
    /// let manage = Manage::new("club", api).accounts(Security::<Member>::new);
    /// ```
    #[cfg(feature = "accounts")]
    pub fn accounts<A: model_resource_security::Account>(
        mut self,
        security: impl Fn() -> model_resource_security::Security<A> + Send + Sync + 'static,
    ) -> Self {
        let tables = &mut self.application.other_tables;
        tables.push(A::table());
        tables.extend(model_resource_security::Security::<A>::tables());
        let accounts = AccountCommands::new(security);
        self.application.find_caller = Some(accounts.find_caller());
        let authenticator = accounts.authenticator();
        let manage = self
            .roles(A::ROLES.known_names().iter().copied())
            .authenticator(move |settings| settings.apply_to_security(authenticator()));
        manage.with_command(AccountCommands::<A>::command())
    }

    /// Adds roles that the policies use, which `openapi --as` knows. Those of the accounts need not be added.
    pub fn roles(mut self, roles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.application.roles.extend(roles.into_iter().map(Into::into));
        self
    }

    /// Changes the server of `serve`: `.server(|server| server.max_connections(500))`. Settings that are given, such as
    /// `--max-connections`, replace those of this function.
    pub fn server(mut self, change: impl Fn(Server) -> Server + Send + Sync + 'static) -> Self {
        self.application.change_server = Some(Box::new(change));
        self
    }

    /// Sets the text that `serve` prints at the start, below the address, such as a request to try.
    pub fn hints(mut self, hints: impl Fn(SocketAddr) -> String + Send + Sync + 'static) -> Self {
        self.application.hints = Some(Box::new(hints));
        self
    }

    /// Replaces the help of a setting, by its name in the file of settings, such as `query_budget`.
    pub fn setting_help(mut self, setting: impl Into<String>, help: impl Into<String>) -> Self {
        self.setting_changes.push(SettingChange {
            setting: setting.into(),
            text: SettingText::Help(help.into()),
        });
        self
    }

    /// Replaces the default of a setting, by its name in the file of settings: `.setting_default("grace_period", "10")`.
    pub fn setting_default(mut self, setting: impl Into<String>, value: impl Into<String>) -> Self {
        self.setting_changes.push(SettingChange {
            setting: setting.into(),
            text: SettingText::Default(value.into()),
        });
        self
    }

    /// Adds the command `seed`, which fills a database with demo data; see [`Manage::database_command`]. If it takes long,
    /// a [`ProgressBar`](crate::ProgressBar) shows how far it is.
    pub fn seed<A, F, R, E>(self, seed: F) -> Self
    where
        A: Args,
        F: Fn(OpenDatabase, A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + 'static,
        E: Into<Failure> + 'static,
    {
        let command = AppCommand::on_database("seed", seed);
        self.with_command(command.or_about("Fills the database with demo data"))
    }

    /// Adds a command on a database, with its own arguments and an option `--database`. The doc comment of the arguments
    /// is its help. The database is migrated before the command, and closed after it.
    ///
    /// A command with the name of another one replaces that one. Options with an environment variable are settings, too:
    /// the variable gets the prefix of the program, and its name is valid in the file of settings.
    pub fn database_command<A, F, R, E>(self, name: &'static str, run: F) -> Self
    where
        A: Args,
        F: Fn(OpenDatabase, A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + 'static,
        E: Into<Failure> + 'static,
    {
        self.with_command(AppCommand::on_database(name, run))
    }

    /// Adds a command without a database, like [`Manage::database_command`].
    ///
    /// ```
    /// use clap::Args;
    /// use model_resource::Api;
    /// use model_resource_cli::{Failure, Manage};
    ///
    /// /// Prints a greeting
    /// #[derive(Args)]
    /// struct Greet {
    ///     /// Name of the person to greet
    ///     name: String,
    /// }
    ///
    /// async fn greet(greet: Greet) -> Result<(), Failure> {
    ///     println!("Hello, {}!", greet.name);
    ///     Ok(())
    /// }
    ///
    /// let manage = Manage::new("library", || Api::new("library")).command("greet", greet);
    /// assert!(manage.command_line().find_subcommand("greet").is_some());
    /// ```
    pub fn command<A, F, R, E>(self, name: &'static str, run: F) -> Self
    where
        A: Args,
        F: Fn(A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + 'static,
        E: Into<Failure> + 'static,
    {
        self.with_command(AppCommand::alone(name, run))
    }

    /// Leaves out a command: `.without("backup")`.
    pub fn without(mut self, command: impl Into<String>) -> Self {
        self.left_out.push(command.into());
        self
    }

    fn with_command(mut self, command: AppCommand) -> Self {
        self.commands.retain(|known| known.name() != command.name());
        self.commands.push(command);
        self
    }

    /// Opens a database, applies its migrations and verifies its tables, as every command does.
    ///
    /// # Errors
    /// If the database cannot be opened or migrated, or if its tables do not fit the models.
    pub async fn open(&self, database: &str) -> StoreResult<Store> {
        self.application.open(database).await
    }

    /// Checks that the migrations lead to the tables of the models, for a test of the application; `migrate --check` does
    /// so, too. No database is needed.
    ///
    /// Every kind of database that has a folder is checked. Migrations without folders are checked for the
    /// [default database](Manage::default_database).
    ///
    /// # Errors
    /// With the differences.
    pub fn check_migrations(&self) -> Result<(), Failure> {
        self.application.check_models(self.application.default_dialect()?)
    }

    /// Tables of the application, each after the tables it references.
    pub fn tables(&self) -> &[&'static Table] {
        self.application.tables()
    }

    /// Returns the application on a database, as `serve` serves it.
    ///
    /// # Panics
    /// If the api has startup errors; the message lists each of them with its remedy.
    pub fn service(&self, store: Store, settings: &Settings) -> ApiService {
        self.application.service(store, settings)
    }

    /// Returns the application like [`Manage::service`], after a change of its api: `|api| api.timeout(..)`.
    ///
    /// # Panics
    /// If the api has startup errors; the message lists each of them with its remedy.
    pub fn service_with(
        &self,
        store: Store,
        settings: &Settings,
        change: impl FnOnce(Api) -> Api,
    ) -> ApiService {
        self.application.service_with(store, settings, change)
    }
}

impl std::fmt::Debug for Manage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manage")
            .field("names", &self.application.names)
            .finish_non_exhaustive()
    }
}
