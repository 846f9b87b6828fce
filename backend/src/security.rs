//! Authentication: the application's users as accounts, and the decorators that require or reject an authenticated
//! caller.

use model_resource::{Blueprint, Field};
use model_resource_security::{Account, Roles, Security};
pub use model_resource_security::{
    CurrentUser, anonymous_user_required, auth_required, auth_required_same_user, hash_password,
    roles_accepted, roles_required,
};

use crate::models::User;

/// Role of administrators.
pub const ADMIN: &str = "admin";

/// Every role that a policy of the application uses.
pub const ROLES: [&str; 1] = [ADMIN];

/// URLs of users and their credentials.
pub const SECURITY: Blueprint = Blueprint::new("security", "/auth");

/// The authenticator of the application's users.
pub type UserSecurity = Security<User>;

impl Account for User {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[User::EMAIL, User::USERNAME];
    const PASSWORD_HASH: Field<Self, String> = User::PASSWORD_HASH;
    const ACTIVE: Option<Field<Self, bool>> = Some(User::IS_ACTIVE);
    const ROLES: Roles<Self> = Roles::words(User::ROLES).known(&ROLES);
}
