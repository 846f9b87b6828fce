//! Authentication: the application's users as accounts, and the decorators that require or reject an authenticated
//! caller.

mod account;
mod accounts;
mod names;
mod user_commands;

pub use accounts::{
    ADMIN, MIN_PASSWORD, OLD_PASSWORD, ROLES, check_password, disable, enable, find_user, set_password,
};
pub use model_resource_security::{
    Credential, CurrentUser, MAX_PASSWORD, anonymous_user_required, auth_required, auth_required_same_user,
    hash_password, roles_accepted, roles_required, verify_password,
};
pub use names::{check_username, normalize_name, normalize_names};
pub use user_commands::accounts;

use model_resource::Blueprint;

use crate::models::User;

/// URLs of users and their credentials.
pub const SECURITY: Blueprint = Blueprint::new("security", "/auth");

/// The authenticator of the application's users.
pub type UserSecurity = model_resource_security::Security<User>;

/// Returns the authenticator as the server and the command line use it.
pub fn authenticator() -> UserSecurity {
    UserSecurity::new()
}
