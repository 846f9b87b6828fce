//! `backend audit`: the access matrix, compared with the committed one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the lines of a table without alignment.
fn lines(text: &str) -> Vec<String> {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(plain).collect()
}

/// AUD-1, AUD-2: the program prints docs/reference/access.md.
#[test]
fn the_committed_matrix_matches_the_application() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/access.md");
    let committed = fs::read_to_string(file).unwrap();
    let printed = Command::new(env!("CARGO_BIN_EXE_backend"))
        .args(["audit", "--markdown"])
        .output()
        .unwrap();
    assert!(
        printed.status.success(),
        "{}",
        String::from_utf8_lossy(&printed.stderr)
    );
    let page = String::from_utf8(printed.stdout).unwrap();
    let (before, now) = (lines(&committed), lines(&page));
    let known: BTreeSet<&String> = before.iter().collect();
    let found: BTreeSet<&String> = now.iter().collect();
    let gone = before.iter().filter(|line| !found.contains(line));
    let new = now.iter().filter(|line| !known.contains(line));
    let differing: Vec<String> = gone
        .map(|line| format!("- {line}"))
        .chain(new.map(|line| format!("+ {line}")))
        .collect();
    assert!(
        committed == page,
        "docs/reference/access.md is not what the application does:\n{}\nif it is meant, call `cargo run -- audit --markdown > docs/reference/access.md`",
        differing.join("\n")
    );
}
