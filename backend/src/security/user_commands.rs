//! Accounts as the command line creates and changes them.

use clap::Args;
use model_resource_cli::Accounts;

use crate::api::{Draft, Errors};
use crate::models::User;
use crate::security::accounts::{ROLES, check_password, find_user};
use crate::security::authenticator;
use crate::security::names::{check_username, normalize_names};

#[derive(Args)]
struct NewUser {
    /// The e-mail address
    #[arg(long)]
    email: String,
    /// The user name
    #[arg(long)]
    username: String,
}

/// Returns the accounts, with all commands for them.
pub fn accounts() -> Accounts<User> {
    Accounts::new(authenticator, find_user)
        .create(new_user)
        .passwords(User::PASSWORD_HASH, check_password)
        .active(User::IS_ACTIVE)
        .roles(ROLES, |user, roles| user.set(User::ROLES, roles.join(" ")))
}

/// Returns an account with these names. Invalid ones are errors of their fields.
fn new_user(new: NewUser, errors: &mut Errors) -> Draft<User> {
    let mut user = Draft::new();
    user.set(User::EMAIL, new.email);
    user.set(User::USERNAME, new.username);
    normalize_names(&mut user);
    let username = user.get(User::USERNAME).unwrap_or_default();
    if let Err(message) = check_username(&username) {
        errors.add("username", message);
    }
    user
}
