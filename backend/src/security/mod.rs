//! Who is asking: passwords, bearer tokens, and the decorators that demand or refuse a user.

mod current_user;
mod decorators;
mod password;
mod token;

pub use current_user::CurrentUser;
pub use decorators::{anonymous_user_required, auth_required_same_user, auth_required_same_user_as};
pub use password::{MAX_PASSWORD, hash_password, verify_password};
pub use token::{find_user, issue};

use model_resource::Blueprint;

/// The URLs about users and their credentials.
pub const SECURITY: Blueprint = Blueprint::new("security", "/auth");
