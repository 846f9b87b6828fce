//! Lists: filters, order, search, projection, relations and pagination, tested against the running server.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/mod.rs"]
mod support;

mod bulk;
mod csv_cells;
mod csv_reader;
mod expensive_queries;
mod explain;
mod field_selection;
mod filters;
mod formats;
mod import;
mod large_rows;
mod noncharacters;
mod oracle;
mod oracle_comparison;
mod paging;
mod random;
mod sample_articles;
mod simple_rest;
mod slow_searches;
mod sorting;
mod strategies;
mod unknown_names;
