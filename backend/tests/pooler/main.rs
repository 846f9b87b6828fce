//! The application behind PgBouncer, called by `cargo xtask pooler`.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the other tests use the rest of it")]
mod support;

#[path = "../support/serve.rs"]
#[expect(dead_code, reason = "the other tests use the rest of it")]
mod serve;

mod measurement;
mod processes;
mod statements;

/// URL of the server's initial database behind the pooler.
fn pooler_url() -> String {
    std::env::var("TEST_POOLER_URL").expect("`cargo xtask pooler` starts the pooler and sets its URL")
}

/// Whether the pooler shares the server's sessions.
fn is_transaction_mode() -> bool {
    pooler_url().ends_with("prepare=off")
}

/// Adds an option to a URL.
fn with_option(url: &str, option: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{option}")
}
