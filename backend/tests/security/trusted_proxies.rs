//! Addresses of trusted proxies on the command line.

use std::process::Command;

/// THR-1: the program rejects invalid addresses and networks at startup.
#[test]
fn the_program_rejects_invalid_proxies() {
    let output = Command::new(env!("CARGO_BIN_EXE_backend"))
        .args([
            "serve",
            "--database",
            "sqlite::memory:",
            "--trusted-proxies",
            "10.0.0.1/8",
        ])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("the network's first address"), "{stderr}");
}
