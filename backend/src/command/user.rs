//! `backend user`: manages accounts from the command line.

use std::io::{BufRead, IsTerminal};

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use model_resource::Store;

use crate::api::{Draft, Error};
use crate::app;
use crate::command::database::DatabaseArgs;
use crate::failure::Failure;
use crate::models::User;
use crate::security::{
    ROLES, add_role, check_password, check_username, disable, enable, find_user, hash_password,
    normalize_names, remove_role, reset_password,
};

/// Creates and changes accounts.
#[derive(Args)]
pub(super) struct UserCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Creates an account; its password is the first line of standard input
    Create {
        /// The e-mail address
        #[arg(long)]
        email: String,
        /// The user name
        #[arg(long)]
        username: String,
        /// A role; may be repeated
        #[arg(long = "role", value_name = "ROLE", value_parser = PossibleValuesParser::new(ROLES))]
        roles: Vec<String>,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Sets a new password, the first line of standard input, and revokes all sessions and tokens
    SetPassword(UserArguments),
    /// Disables a user, and revokes all sessions and tokens
    Disable(UserArguments),
    /// Enables a disabled user
    Enable(UserArguments),
    /// Grants a role to a user
    Grant {
        #[command(flatten)]
        user: UserArguments,
        /// The role
        #[arg(long, value_parser = PossibleValuesParser::new(ROLES))]
        role: String,
    },
    /// Revokes a role from a user, also one that no policy uses any more
    Revoke {
        #[command(flatten)]
        user: UserArguments,
        /// The role
        #[arg(long)]
        role: String,
    },
}

#[derive(Args)]
struct UserArguments {
    /// The user's e-mail address or user name
    name: String,
    #[command(flatten)]
    database: DatabaseArgs,
}

impl UserCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::Create {
                email,
                username,
                roles,
                database,
            } => {
                let mut user = Draft::new();
                user.set(User::EMAIL, email);
                user.set(User::USERNAME, username);
                user.set(User::ROLES, roles.join(" "));
                let store = app::open(&database.database).await?;
                create(&store, user).await?;
                store.close().await;
                Ok(())
            }
            Action::SetPassword(arguments) => {
                let (store, user) = arguments.find().await?;
                reset_password(&store, &user, hash_password(password()?)).await?;
                store.close().await;
                report(&user, "has a new password")
            }
            Action::Disable(arguments) => {
                let (store, user) = arguments.find().await?;
                disable(&store, &user).await?;
                store.close().await;
                report(&user, "is disabled")
            }
            Action::Enable(arguments) => {
                let (store, user) = arguments.find().await?;
                enable(&store, &user).await?;
                store.close().await;
                report(&user, "is enabled")
            }
            Action::Grant { user, role } => {
                let (store, user) = user.find().await?;
                add_role(&store, &user, &role).await?;
                store.close().await;
                report(&user, &format!("has the role {role}"))
            }
            Action::Revoke { user, role } => {
                let (store, user) = user.find().await?;
                remove_role(&store, &user, &role).await?;
                store.close().await;
                report(&user, &format!("has no role {role}"))
            }
        }
    }
}

async fn create(store: &Store, mut user: Draft<User>) -> Result<(), Failure> {
    normalize_names(&mut user);
    check_names(&user)?;
    user.set(User::PASSWORD_HASH, hash_password(password()?));
    let user = store
        .create(user)
        .await
        .map_err(|error| field_errors(error.into()))?;
    report(&user, &format!("is created with the key {}", user.id))
}

impl UserArguments {
    async fn find(&self) -> Result<(Store, User), Failure> {
        let store = app::open(&self.database.database).await?;
        let user = find_user(&store, &self.name).await?;
        let user = user.ok_or_else(|| format!("there is no user {:?}", self.name))?;
        Ok((store, user))
    }
}

fn report(user: &User, what: &str) -> Result<(), Failure> {
    println!("{} {what}", user.username);
    Ok(())
}

/// Reads the password from standard input. It is never an argument, because every user of the machine can list those.
fn password() -> Result<String, Failure> {
    let input = std::io::stdin();
    if input.is_terminal() {
        eprintln!("Password (shown as you type it):");
    }
    let mut line = String::new();
    input.lock().read_line(&mut line)?;
    let password = line.trim_end_matches(['\r', '\n']);
    check_password(password).map_err(|message| format!("the password on standard input: {message}"))?;
    Ok(password.to_owned())
}

/// Rejects invalid names, field by field.
fn check_names(user: &Draft<User>) -> Result<(), Failure> {
    let mut errors = user.clone().into_any().check();
    let username = user.get(User::USERNAME).unwrap_or_default();
    if let Err(message) = check_username(&username) {
        errors.add("username", message);
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(field_errors(Error::invalid(errors)))
    }
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
