//! HTML pages of an api.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod account;
mod caching;
mod content;
mod diagnostics;
mod failures;
mod filter_form;
mod form_fields;
mod form_relations;
mod forms;
mod frozen_fields;
mod groups;
mod keys;
mod labels;
mod large_responses;
mod lists;
mod mounted;
mod negotiation;
mod paging;
mod relation_permissions;
mod relations;
mod required_headers;
mod row_permissions;
mod settings;
mod slow_lists;
mod soft_delete;
mod states;

use test_support::TestApp;

/// Text of a page.
async fn page(app: &TestApp, path: &str) -> String {
    app.with_header("accept", "text/html")
        .get(path)
        .await
        .expect(200)
        .text()
}
