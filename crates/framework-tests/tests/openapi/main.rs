//! The OpenAPI document of an api and the pages made from it, over real sockets and a real database.
//!
//! The files are named after the headings of `docs/reference/requirements.md`; each test names the ids it covers.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod boats;
mod built_in_views;
mod callers;
mod checked;
mod docs_page;
mod document;
mod groups;
mod handlers;
mod nested_writes;
mod operations;
mod relations;
mod soft_delete;
mod transitions;
