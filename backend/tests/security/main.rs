//! Access control: credentials, callers, policies, and denial by default.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/serve.rs"]
mod serve;
#[path = "../support/mod.rs"]
mod support;

mod admins;
mod audit;
mod both_credentials;
mod browser;
mod command_line;
mod cors;
mod credential_limits;
mod csrf;
mod draft_articles;
mod dry_runs;
mod estimates;
mod extended;
mod headers;
mod kept_rows;
mod login_load;
mod login_names;
mod old_password_required;
mod ownership;
mod password_change;
mod password_guessing;
mod policies;
mod private_accounts;
mod processes;
mod roles;
mod same_user;
mod sample_blog;
mod scenarios;
mod sessions;
mod shown;
mod startup_errors;
mod tokens;
mod trusted_proxies;
mod user_names;
mod user_roles;
