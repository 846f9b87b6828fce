//! Who is asking: the application's users as accounts, and the decorators that demand or refuse one.

mod account;
mod accounts;
mod names;

pub use accounts::{
    ADMIN, MIN_PASSWORD, OLD_PASSWORD, ROLES, add_role, check_password, disable, enable, find_user,
    remove_role, reset_password, set_password,
};
pub use model_resource_security::{
    Credential, CurrentUser, MAX_PASSWORD, anonymous_user_required, auth_required, auth_required_same_user,
    hash_password, roles_accepted, roles_required, verify_password,
};
pub use names::{check_username, fold, fold_names};

use model_resource::Blueprint;

use crate::models::User;

/// The URLs about users and their credentials.
pub const SECURITY: Blueprint = Blueprint::new("security", "/auth");

/// How the application's users are known.
pub type Security = model_resource_security::Security<User>;

/// What the application's users are known by, wherever that is asked.
pub fn configured() -> Security {
    Security::new()
}
