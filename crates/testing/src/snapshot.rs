//! Snapshots: texts that are compared with files.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Environment variable that lets snapshots be rewritten.
const UPDATE: &str = "UPDATE_SNAPSHOTS";
/// Equal lines that are shown around a difference.
const CONTEXT: usize = 2;
/// Maximum lines that are shown of each side of a difference.
const MAX_LINES: usize = 40;

/// Asserts that a text equals the contents of a file, whose path is relative to the package. With `UPDATE_SNAPSHOTS=1` in
/// the environment, the function writes the file instead.
///
/// # Panics
/// If the text differs, with the different lines, or if the file does not exist.
#[track_caller]
pub fn assert_snapshot(file: impl AsRef<Path>, text: &str) {
    let update = std::env::var(UPDATE).is_ok_and(|value| !value.is_empty() && value != "0");
    if let Err(message) = check(&in_package(file.as_ref()), text, update) {
        panic!("{message}");
    }
}

/// Asserts that a value equals the JSON in a file, like [`assert_snapshot`]. The file has a line per member.
///
/// # Panics
/// If the value differs, with the different lines, or if the file does not exist.
#[track_caller]
pub fn assert_json_snapshot(file: impl AsRef<Path>, value: &impl Serialize) {
    let text = serde_json::to_string_pretty(value).expect("the value can be written as JSON");
    assert_snapshot(file, &(text + "\n"));
}

/// Cargo runs tests in the folder of their package, and other runners name it.
fn in_package(file: &Path) -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    Path::new(&package).join(file)
}

/// Compares a text with a file, or writes the file.
fn check(file: &Path, text: &str, update: bool) -> Result<(), String> {
    let shown = file.display();
    if update {
        let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
        let written = folder.and_then(|()| fs::write(file, text));
        return written.map_err(|error| format!("cannot write the snapshot {shown}: {error}"));
    }
    let expected = fs::read_to_string(file).map_err(|error| {
        format!("cannot read the snapshot {shown} ({error}): run the test with {UPDATE}=1 to write it")
    })?;
    if expected == text {
        return Ok(());
    }
    let difference = line_difference(&expected, text);
    Err(format!(
        "the text differs from the snapshot {shown}:\n{difference}\nIf the new text is right, run the test with {UPDATE}=1"
    ))
}

/// Lines between the first and the last difference: `-` those of the file, `+` the new ones.
fn line_difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let pairs = std::iter::zip(&expected, &found);
    let start = pairs.take_while(|(one, other)| one == other).count();
    let pairs = std::iter::zip(expected[start..].iter().rev(), found[start..].iter().rev());
    let end = pairs.take_while(|(one, other)| one == other).count();
    let mut lines = vec![format!("line {}:", start + 1)];
    let equal = |line: &&str| format!("  {line}");
    lines.extend(expected[start.saturating_sub(CONTEXT)..start].iter().map(equal));
    for (sign, side) in [('-', &expected), ('+', &found)] {
        let changed = &side[start..side.len() - end];
        lines.extend(
            changed
                .iter()
                .take(MAX_LINES)
                .map(|line| format!("{sign} {line}")),
        );
        if changed.len() > MAX_LINES {
            lines.push(format!("{sign} .. {} more lines", changed.len() - MAX_LINES));
        }
    }
    lines.extend(expected[expected.len() - end..].iter().take(CONTEXT).map(equal));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_written_once_and_compared_from_then_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("snapshots/a.txt");
        let missing = check(&file, "one\n", false).expect_err("no file");
        assert!(missing.contains("UPDATE_SNAPSHOTS=1"), "{missing}");
        assert!(!file.exists());
        check(&file, "one\ntwo\nthree\nfour\n", true).expect("a file");
        check(&file, "one\ntwo\nthree\nfour\n", false).expect("the same text");
        let message = check(&file, "one\ntwo\n3\nfour\n", false).expect_err("another text");
        assert!(
            message.contains("line 3:\n  one\n  two\n- three\n+ 3\n  four\n"),
            "{message}"
        );
    }

    #[test]
    fn differences_are_shown_at_both_ends_and_shortened() {
        assert_eq!(line_difference("a\nb", "b"), "line 1:\n- a\n  b");
        assert_eq!(line_difference("a", "a\nb"), "line 2:\n  a\n+ b");
        let long = line_difference("", &"x\n".repeat(100));
        assert!(long.ends_with("+ .. 60 more lines"), "{long}");
    }
}
