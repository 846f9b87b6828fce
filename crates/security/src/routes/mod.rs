//! Routes of accounts: registration, login, logout, status, password, tokens, sessions, disabling and enabling.

mod activation;
mod builder;
mod login;
mod login_body;
mod password;
mod password_body;
mod registration;
#[cfg(feature = "openapi")]
mod schemas;
mod sessions;
mod status;
mod tokens;

pub use builder::{AccountRoute, AccountRoutes};
