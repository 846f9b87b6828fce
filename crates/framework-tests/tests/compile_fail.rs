//! The likeliest mistakes do not compile, and the message names the remedy.

use std::process::Command;

/// Compiler version of the expected messages, because another version words its own part of them differently.
const COMPILER: &str = "rustc 1.95.";

/// REG-35, REG-36, REG-38: the messages in `compile_fail/` name the remedy, and are all that the compiler reports.
#[test]
fn mistakes_do_not_compile_and_the_message_has_the_remedy() {
    let version = Command::new("rustc")
        .arg("--version")
        .output()
        .expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(COMPILER) {
        eprintln!("NOT COMPARED: the expected messages are those of {COMPILER}x, and this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
