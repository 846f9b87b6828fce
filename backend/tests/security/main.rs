//! Access control: credentials, callers, policies, and denial by default.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/mod.rs"]
mod support;

mod addresses;
mod admins;
mod at_start;
mod audit;
mod authors;
mod below_hidden;
mod blog;
mod both_credentials;
mod browser;
mod command_line;
mod cors;
mod credential_limits;
mod csrf;
mod denied;
mod drafts;
mod estimates;
mod guards;
mod guessing;
mod headers;
mod hidden_rows;
mod library;
mod load;
mod names;
mod old_passwords;
mod other_users;
mod own_operations;
mod passwords;
mod plain_functions;
mod policies;
mod private_accounts;
mod private_columns;
mod private_computed;
mod processes;
mod roles;
mod scenarios;
mod sessions;
mod side_doors;
mod throttling;
mod tokens;
mod url_parameters;
mod user_names;
