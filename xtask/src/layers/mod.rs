//! `cargo xtask layers`: no import between modules runs upwards or in a circle.

mod check;
mod circle;
mod imports;
mod manifest;
mod modules;
mod plan;
mod source;

pub(crate) use check::run;
