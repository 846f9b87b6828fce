//! HTML pages of an api.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod content;
mod negotiation;
mod settings;
