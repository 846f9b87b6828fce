//! Chromium, driven by WebDriver, for tests of pages.
//!
//! A [`Browser`] is one person's window. [`Browser::step`] takes a screenshot of the page and checks it as a desktop, as a
//! phone and in dark mode: the console is empty, nothing is blocked or comes from elsewhere, nothing is wider than the
//! screen, and axe-core has no finding. Call the tests with `cargo xtask browser`, which starts the driver.
//!
//! Every function panics on failure, because a failed step is a failed test.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod browser;
mod checks;
mod console;
mod element;
mod look;
mod session;

pub use browser::{Browser, Scripts};
pub use look::Look;
