//! The pages of the reference application, and of a library, in Chromium.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod conflicts;
mod docs;
mod forms;
mod harness;
mod hostile;
mod library_site;
mod lines;
mod links;
mod lists;
mod sessions;
mod several;
mod site;
mod states;
