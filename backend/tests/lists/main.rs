//! Lists: filters, order, search, projection, relations and pagination, tested against the running server.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/mod.rs"]
mod support;

mod asking;
mod bulk;
mod cells;
mod characters;
mod csv_reader;
mod explain;
mod filters;
mod formats;
mod import;
mod members;
mod names;
mod oracle;
mod overload;
mod paging;
mod random;
mod shelf;
mod simple_rest;
mod sorting;
mod strategies;
mod weights;
