//! The pages of the reference application in Chromium.

mod harness;
