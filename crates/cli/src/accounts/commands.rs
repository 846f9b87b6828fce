//! Commands `user create`, `set-password`, `disable`, `enable`, `grant` and `revoke`.

use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use model_resource::schema::json::url_text;
use model_resource::{Error, Errors, Store};
use model_resource_security::Account;

use crate::accounts::builder::{Accounts, FindAccount, NAME, Passwords, ROLE};
use crate::accounts::password::read_password_hash;
use crate::app_command::AppCommand;
use crate::application::FindCaller;
use crate::database::DatabaseArgs;
use crate::failure::Failure;

impl<A: Account> Accounts<A> {
    /// Returns the function that finds an active account as a caller.
    pub(crate) fn find_caller(&self) -> FindCaller {
        let (find, security) = (Arc::clone(&self.find), Arc::clone(&self.security));
        Box::new(move |store, name| {
            let (find, security) = (Arc::clone(&find), Arc::clone(&security));
            Box::pin(async move {
                let user = find_named(&find, &store, &name).await?;
                if !user.is_active() {
                    return Err(format!("{} is disabled and gets no list", label(&user)).into());
                }
                Ok(security().caller(user))
            })
        })
    }

    /// Returns the command `user`.
    pub(crate) fn into_command(self) -> AppCommand {
        let changes = self.changes.iter().map(|change| change.command.clone());
        let command = Command::new("user")
            .about("Creates and changes accounts")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(self.create_command())
            .subcommands(changes);
        let accounts = Arc::new(self);
        AppCommand::with_matches(command, move |database, matches| {
            let accounts = Arc::clone(&accounts);
            let chosen = matches.subcommand();
            let chosen = chosen.map(|(name, matches)| (name.to_owned(), matches.clone()));
            Box::pin(async move {
                match chosen {
                    Some((name, matches)) => accounts.run(&database.store, &name, matches).await,
                    None => Ok(()),
                }
            })
        })
    }

    fn create_command(&self) -> Option<Command> {
        let create = self.create.as_ref()?;
        let mut command = (create.augment)(Command::new("create"));
        if self.set_roles.is_some() {
            let role = Arg::new(ROLE)
                .long(ROLE)
                .value_name("ROLE")
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(&self.role_names))
                .help("A role; may be repeated");
            command = command.arg(role);
        }
        let about = match self.passwords {
            Some(_) => "Creates an account; its password is the first line of standard input",
            None => "Creates an account",
        };
        Some(DatabaseArgs::augment_args(command).about(about))
    }

    async fn run(&self, store: &Store, command: &str, matches: ArgMatches) -> Result<(), Failure> {
        let change = self
            .changes
            .iter()
            .find(|change| change.command.get_name() == command);
        let Some(change) = change else {
            return self.run_create(store, &matches).await;
        };
        let name = matches.get_one::<String>(NAME).cloned().unwrap_or_default();
        let user = find_named(&self.find, store, &name).await?;
        let label = label(&user);
        let report = (change.apply)(store.clone(), user, matches).await?;
        println!("{label} {report}");
        Ok(())
    }

    async fn run_create(&self, store: &Store, matches: &ArgMatches) -> Result<(), Failure> {
        let create = self.create.as_ref().ok_or("accounts cannot be created")?;
        let mut own = Errors::new();
        let mut draft = (create.draft)(matches, &mut own);
        if let Some(set) = &self.set_roles {
            let roles = matches.get_many::<String>(ROLE).into_iter().flatten();
            set(&mut draft, &roles.cloned().collect::<Vec<_>>());
        }
        let mut errors = draft.as_any().check();
        errors.merge(own);
        if !errors.is_empty() {
            return Err(field_errors(Error::invalid(errors)));
        }
        if let Some(Passwords { column, check }) = &self.passwords {
            draft.set(*column, read_password_hash(&**check)?);
        }
        let created = store.create(draft).await;
        let user = created.map_err(|error| field_errors(error.into()))?;
        println!("{} is created with the key {}", label(&user), key_text(&user));
        Ok(())
    }
}

async fn find_named<A: Account>(find: &FindAccount<A>, store: &Store, name: &str) -> Result<A, Failure> {
    let user = find(store.clone(), name.to_owned()).await?;
    Ok(user.ok_or_else(|| format!("there is no user {name:?}"))?)
}

/// Name of an account in messages.
fn label<A: Account>(user: &A) -> String {
    user.name().map_or_else(|| key_text(user), str::to_owned)
}

fn key_text<A: Account>(user: &A) -> String {
    url_text(user.value(A::table().primary_key))
}

/// Formats the error's field messages for the terminal.
fn field_errors(error: Error) -> Failure {
    match error.errors() {
        Some(errors) => serde_json::to_string(errors)
            .unwrap_or_else(|_| error.to_string())
            .into(),
        None => error.into(),
    }
}
