//! Users and their credentials, below `/auth`.

mod access;
mod credentials;
mod password;
mod users;

pub use access::{login, logout, status};
pub use credentials::{SessionResource, TokenResource};
pub use password::change_password;
pub use users::{UserResource, disable_user, enable_user};
