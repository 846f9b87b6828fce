//! Commands of the application's own.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::failure::Failure;
use crate::manage::application::{CommandFuture, ManagedApplication};
use crate::manage::database::{DatabaseArgs, OpenDatabase};

/// Function of a command without a database.
type RunAlone = Box<dyn Fn(&ArgMatches) -> CommandFuture + Send + Sync>;
/// Function of a command on a database.
type RunOnDatabase = Box<dyn Fn(OpenDatabase, &ArgMatches) -> CommandFuture + Send + Sync>;

/// A command of the application: its arguments and its function.
pub(crate) struct AppCommand {
    pub(crate) command: Command,
    run: RunCommand,
}

enum RunCommand {
    Alone(RunAlone),
    OnDatabase(RunOnDatabase),
}

impl AppCommand {
    /// Creates a command without a database. The doc comment of its arguments is its help.
    pub(crate) fn alone<A, F, R, E>(name: &'static str, run: F) -> Self
    where
        A: Args,
        F: Fn(A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + 'static,
        E: Into<Failure> + 'static,
    {
        let command = A::augment_args(Command::new(name));
        let run = move |matches: &ArgMatches| -> CommandFuture {
            let outcome = run(parsed(matches));
            Box::pin(async move { outcome.await.map_err(Into::into) })
        };
        Self {
            command,
            run: RunCommand::Alone(Box::new(run)),
        }
    }

    /// Creates a command with the option `--database`. The doc comment of its arguments is its help.
    pub(crate) fn on_database<A, F, R, E>(name: &'static str, run: F) -> Self
    where
        A: Args,
        F: Fn(OpenDatabase, A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + 'static,
        E: Into<Failure> + 'static,
    {
        let command = DatabaseArgs::augment_args(A::augment_args(Command::new(name)));
        Self::with_matches(command, move |database, matches| {
            let outcome = run(database, parsed(matches));
            Box::pin(async move { outcome.await.map_err(Into::into) })
        })
    }

    /// Creates a command whose innermost subcommands have the option `--database`.
    pub(crate) fn with_matches(
        command: Command,
        run: impl Fn(OpenDatabase, &ArgMatches) -> CommandFuture + Send + Sync + 'static,
    ) -> Self {
        Self {
            command,
            run: RunCommand::OnDatabase(Box::new(run)),
        }
    }

    /// Sets the help of a command whose arguments have none.
    pub(crate) fn or_about(mut self, about: &'static str) -> Self {
        if self.command.get_about().is_none() {
            self.command = self.command.about(about);
        }
        self
    }

    pub(crate) fn name(&self) -> &str {
        self.command.get_name()
    }

    pub(crate) async fn run(
        &self,
        application: &ManagedApplication,
        matches: &ArgMatches,
    ) -> Result<(), Failure> {
        match &self.run {
            RunCommand::Alone(run) => run(matches).await,
            RunCommand::OnDatabase(run) => {
                let database: DatabaseArgs = parsed(innermost(matches));
                let store = application.open(&database.database).await?;
                let open = OpenDatabase {
                    store: store.clone(),
                    name: database.shown(),
                };
                let outcome = run(open, matches).await;
                store.close().await;
                outcome
            }
        }
    }
}

/// Returns the arguments of a command. Mistakes end the program, as those that the parser finds do.
pub(crate) fn parsed<A: FromArgMatches>(matches: &ArgMatches) -> A {
    A::from_arg_matches(matches).unwrap_or_else(|error| error.exit())
}

/// Returns the matches of the innermost subcommand.
fn innermost(matches: &ArgMatches) -> &ArgMatches {
    match matches.subcommand() {
        Some((_, matches)) => innermost(matches),
        None => matches,
    }
}
