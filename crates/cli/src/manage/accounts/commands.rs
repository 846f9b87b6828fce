//! Commands `user create`, `set-password`, `disable`, `enable`, `grant` and `revoke`.

use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use model_resource::schema::json::url_text;
use model_resource::{Error, Errors, Store};
use model_resource_security::{Account, Security};

use crate::failure::Failure;
use crate::manage::accounts::new_account;
use crate::manage::accounts::password::read_password_hash;
use crate::manage::app_command::AppCommand;
use crate::manage::application::FindCaller;
use crate::manage::database::DatabaseArgs;

/// Argument with the name of an account.
const NAME: &str = "NAME";
/// Option with roles.
const ROLE: &str = "role";

const CREATE: &str = "create";
const SET_PASSWORD: &str = "set-password";
const DISABLE: &str = "disable";
const ENABLE: &str = "enable";
const GRANT: &str = "grant";
const REVOKE: &str = "revoke";

/// Accounts of an application, as its command line creates and changes them.
pub(crate) struct AccountCommands<A: Account> {
    security: MakeSecurity<A>,
}

/// Function that makes the authenticator of an api.
type MakeSecurity<A> = Arc<dyn Fn() -> Security<A> + Send + Sync>;

impl<A: Account> AccountCommands<A> {
    pub(crate) fn new(security: impl Fn() -> Security<A> + Send + Sync + 'static) -> Self {
        Self {
            security: Arc::new(security),
        }
    }

    /// Returns a function that makes the authenticator of the api.
    pub(crate) fn authenticator(&self) -> impl Fn() -> Security<A> + Send + Sync + 'static {
        let security = Arc::clone(&self.security);
        move || security()
    }

    /// Returns the function that finds an active account as a caller.
    pub(crate) fn find_caller(&self) -> FindCaller {
        let security = Arc::clone(&self.security);
        Box::new(move |store, name| {
            let security = Arc::clone(&security);
            Box::pin(async move {
                let user: A = find_named(&store, &name).await?;
                if !user.is_active() {
                    return Err(format!("{} is disabled and gets no list", label(&user)).into());
                }
                Ok(security().caller(&store, user).await?)
            })
        })
    }

    /// Returns the command `user`, with the subcommands that the columns of the account allow.
    pub(crate) fn command() -> AppCommand {
        let command = Command::new("user")
            .about("Creates and changes accounts")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand(create_command::<A>())
            .subcommands(change_commands::<A>());
        AppCommand::with_matches(command, move |database, matches| {
            let chosen = matches.subcommand();
            let chosen = chosen.map(|(name, matches)| (name.to_owned(), matches.clone()));
            Box::pin(async move {
                match chosen {
                    Some((name, matches)) => run::<A>(&database.store, &name, &matches).await,
                    None => Ok(()),
                }
            })
        })
    }
}

fn create_command<A: Account>() -> Command {
    let mut command = new_account::with_columns::<A>(Command::new(CREATE));
    if A::ROLES.is_stored() {
        let role = known_roles::<A>(Arg::new(ROLE).long(ROLE).value_name("ROLE"));
        command = command.arg(role.action(ArgAction::Append).help("A role; may be repeated"));
    }
    DatabaseArgs::augment_args(command)
        .about("Creates an account; its password is the first line of standard input")
}

/// Commands that change an account.
fn change_commands<A: Account>() -> Vec<Command> {
    let mut commands = vec![change(
        SET_PASSWORD,
        "Sets a new password, the first line of standard input, and revokes all sessions and tokens",
    )];
    if A::ACTIVE.is_some() {
        commands.extend([
            change(DISABLE, "Disables a user, and revokes all sessions and tokens"),
            change(ENABLE, "Enables a disabled user"),
        ]);
    }
    if A::ROLES.is_stored() {
        let role = || {
            let role = Arg::new(ROLE).long(ROLE).value_name("ROLE");
            role.required(true).help("The role")
        };
        commands.extend([
            change(GRANT, "Grants a role to a user").arg(known_roles::<A>(role())),
            change(
                REVOKE,
                "Revokes a role from a user, also one that no policy uses any more",
            )
            .arg(role()),
        ]);
    }
    commands
}

fn change(name: &'static str, about: &'static str) -> Command {
    let user = Arg::new(NAME).value_name(NAME).required(true);
    let user = user.help("The user's e-mail address or user name");
    DatabaseArgs::augment_args(Command::new(name).about(about).arg(user))
}

/// Accepts only the roles that the policies use, if they are named.
fn known_roles<A: Account>(role: Arg) -> Arg {
    match A::ROLES.known_names() {
        [] => role,
        known => role.value_parser(PossibleValuesParser::new(known)),
    }
}

async fn run<A: Account>(store: &Store, command: &str, matches: &ArgMatches) -> Result<(), Failure> {
    if command == CREATE {
        return create::<A>(store, matches).await;
    }
    let name = matches.get_one::<String>(NAME).cloned().unwrap_or_default();
    let role = matches.try_get_one::<String>(ROLE).ok().flatten();
    let role = role.cloned().unwrap_or_default();
    let user: A = find_named(store, &name).await?;
    let report = match command {
        SET_PASSWORD => {
            Security::set_password(store, &user, read_password_hash::<A>()?).await?;
            "has a new password".to_owned()
        }
        DISABLE => {
            Security::disable(store, &user).await?;
            "is disabled".to_owned()
        }
        ENABLE => {
            Security::enable(store, &user).await?;
            "is enabled".to_owned()
        }
        GRANT => {
            Security::grant_role(store, &user, &role).await?;
            format!("has the role {role}")
        }
        _ => {
            Security::revoke_role(store, &user, &role).await?;
            format!("no longer has the role {role}")
        }
    };
    println!("{} {report}", label(&user));
    Ok(())
}

async fn create<A: Account>(store: &Store, matches: &ArgMatches) -> Result<(), Failure> {
    let mut unread = Errors::new();
    let mut draft = new_account::draft::<A>(matches, &mut unread);
    let mut errors = Security::check_account(&mut draft);
    errors.merge(unread);
    if !errors.is_empty() {
        return Err(field_errors(Error::invalid(errors)));
    }
    let roles = matches.try_get_many::<String>(ROLE).ok().flatten();
    let roles = roles.into_iter().flatten().cloned();
    let draft = draft.with(A::PASSWORD_HASH, read_password_hash::<A>()?);
    let created = Security::create_account(store, draft, roles).await;
    let user = created.map_err(field_errors)?;
    println!("{} is created with the key {}", label(&user), key_text(&user));
    Ok(())
}

async fn find_named<A: Account>(store: &Store, name: &str) -> Result<A, Failure> {
    let user = Security::<A>::find_account(store, name).await?;
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
