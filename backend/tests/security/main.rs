//! Access control: credentials, callers, policies, and denial by default.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/serve.rs"]
mod serve;
#[path = "../support/mod.rs"]
mod support;

mod admins;
mod at_start;
mod audit;
mod authors;
mod blog;
mod both_credentials;
mod browser;
mod command_line;
mod cors;
mod credential_limits;
mod csrf;
mod drafts;
mod estimates;
mod guessing;
mod headers;
mod load;
mod names;
mod old_passwords;
mod passwords;
mod private_accounts;
mod processes;
mod roles;
mod same_user;
mod scenarios;
mod sessions;
mod tokens;
mod trusted_proxies;
mod user_names;
mod user_roles;
