//! The pages of the reference application in Chromium.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod conflicts;
mod docs;
mod forms;
mod harness;
mod hostile;
mod lists;
mod sessions;
mod several;
mod site;
