//! URLs: converters, key columns, and rows below a parent.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod columns;
mod converters;
mod invalid_values;
mod renamed_parameters;
mod scopes;
