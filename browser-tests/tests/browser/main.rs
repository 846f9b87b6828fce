//! The pages of the reference application, of a library and of a ledger in Chromium.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod conflicts;
mod docs;
mod forms;
mod harness;
mod hostile;
mod keys;
mod ledger_site;
mod library_site;
mod lines;
mod links;
mod lists;
mod sessions;
mod several;
mod site;
mod states;
mod versions;
