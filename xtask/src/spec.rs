//! `cargo xtask spec`: checks that every requirement has a test, and that every id in a test is a requirement.

use std::collections::BTreeSet;
use std::path::Path;

use crate::workspace::{Outcome, read, rust_files};

/// Folders of the tests of requirements.
const TESTS: [&str; 14] = [
    "backend/tests/spec",
    "backend/tests/lists",
    "backend/tests/security",
    "backend/tests/pooler",
    "backend/tests/proxies",
    "crates/audit/tests",
    "crates/cli/tests",
    "crates/framework-tests/tests",
    "crates/migrations/tests",
    "crates/model-resource/tests",
    "crates/store/tests",
    "crates/testing/tests",
    "browser-tests/tests",
    "xtask/src/commands",
];

/// Heading of the tables that map the specification's sentences to requirements.
const SENTENCES: &str = "The specification, sentence by sentence";

/// Compares `docs/reference/requirements.md` with the tests.
pub(crate) fn run(root: &Path) -> Outcome {
    let requirements = read(&root.join("docs/reference/requirements.md"))?;
    let required = required(&requirements)?;
    reject_uncovered_sentences(&requirements, &required)?;
    let mut named = BTreeSet::new();
    for folder in TESTS {
        for file in rust_files(&root.join(folder))? {
            named.extend(named_by_tests(&read(&file)?));
        }
    }
    let untested: Vec<&str> = required.difference(&named).map(String::as_str).collect();
    let unknown: Vec<&str> = named.difference(&required).map(String::as_str).collect();
    if untested.is_empty() && unknown.is_empty() {
        println!("{} requirements, each named by a test", required.len());
        return Ok(());
    }
    println!(
        "requirements without a test ({}): {}",
        untested.len(),
        untested.join(" ")
    );
    println!(
        "ids without a requirement ({}): {}",
        unknown.len(),
        unknown.join(" ")
    );
    Err(
        "requirements and tests differ: name each id of docs/reference/requirements.md above a test, and no other"
            .into(),
    )
}

/// Returns the ids in bold, each of which must be unique.
fn required(text: &str) -> Outcome<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    for word in text.split("**").skip(1).step_by(2) {
        if is_id(word) && !ids.insert(word.to_owned()) {
            return Err(format!(
                "{word} occurs twice in docs/reference/requirements.md: give the second one a new number"
            ));
        }
    }
    Ok(ids)
}

/// Rejects a sentence of the specification without a requirement: each row of the tables below the heading ends with
/// ids of requirements, or with `none:` and the reason.
fn reject_uncovered_sentences(text: &str, required: &BTreeSet<String>) -> Outcome {
    let section = text.split("\n## ").find(|section| section.starts_with(SENTENCES));
    let rows = section
        .unwrap_or_default()
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| The specification says"));
    for row in rows {
        let ids = row
            .trim_end_matches([' ', '|'])
            .rsplit(" | ")
            .next()
            .unwrap_or_default();
        let is_kept = ids.split(", ").all(|id| required.contains(id));
        if !is_kept && !ids.starts_with("none: ") {
            return Err(format!(
                "docs/reference/requirements.md: `{row}` must end with ids of requirements, or with `none:` and the reason"
            ));
        }
    }
    Ok(())
}

/// Returns the ids that begin a doc comment's line above a test function.
fn named_by_tests(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut pending = Vec::new();
    let mut is_test = false;
    let mut open_attribute = false;
    for line in source.lines().map(str::trim) {
        if open_attribute {
            open_attribute = !line.ends_with(']');
        } else if let Some(comment) = line.strip_prefix("///") {
            pending.extend(leading_ids(comment));
        } else if line.starts_with("on!(") {
            // The function below is a test on each database.
            is_test = true;
        } else if line.starts_with("#[") {
            is_test |= line == "#[test]" || line.starts_with("#[tokio::test");
            open_attribute = !line.ends_with(']');
        } else {
            if is_test {
                found.extend(pending.drain(..));
            }
            pending.clear();
            is_test = false;
        }
    }
    found
}

/// Returns the ids of `OP-3, OP-4: ..`; a line such as `UTF-8 is ..` has none.
fn leading_ids(comment: &str) -> Vec<String> {
    let head = comment.split([':', '.']).next().unwrap_or_default();
    let words: Vec<&str> = head
        .split([',', ' '])
        .filter(|word| !word.is_empty() && *word != "and")
        .collect();
    if words.iter().all(|word| is_id(word)) {
        words.into_iter().map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

fn is_id(word: &str) -> bool {
    word.split_once('-').is_some_and(|(prefix, number)| {
        prefix.len() >= 2
            && prefix.bytes().all(|byte| byte.is_ascii_uppercase())
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn tree(requirements: &str, tests: &str) -> Outcome {
        let scratch = Scratch::new().unwrap();
        scratch.write("docs/reference/requirements.md", requirements);
        for folder in TESTS {
            scratch.write(&format!("{folder}/main.rs"), "");
        }
        scratch.write("backend/tests/spec/operations.rs", tests);
        run(scratch.path())
    }

    const TWO: &str = "- **OP-1** One **bold** thing.\n- **OP-2** Another.\n";

    #[test]
    fn ids_that_match_pass() {
        let tests = "/// OP-1: the first.\n#[test]\nfn a() {}\n\n/// OP-2\n#[tokio::test]\nasync fn b() {}\n";
        assert_eq!(tree(TWO, tests), Ok(()));
    }

    #[test]
    fn one_comment_may_name_several_ids() {
        let tests =
            "/// OP-1, OP-2: both.\n#[tokio::test(\n    flavor = \"multi_thread\"\n)]\nasync fn a() {}\n";
        assert_eq!(tree(TWO, tests), Ok(()));
    }

    #[test]
    fn an_untested_requirement_fails() {
        assert!(tree(TWO, "/// OP-1\n#[test]\nfn a() {}\n").is_err());
    }

    #[test]
    fn an_unknown_id_fails() {
        assert!(tree(TWO, "/// OP-1, OP-2 and OP-3\n#[test]\nfn a() {}\n").is_err());
    }

    #[test]
    fn an_id_above_something_else_than_a_test_does_not_count() {
        assert!(tree(TWO, "/// OP-1, OP-2\nfn a() {}\n\n#[test]\nfn b() {}\n").is_err());
    }

    #[test]
    fn a_duplicate_id_fails() {
        assert!(tree("**OP-1** **OP-1**", "/// OP-1\n#[test]\nfn a() {}\n").is_err());
    }

    #[test]
    fn a_sentence_of_the_specification_needs_a_requirement() {
        let tests = "/// OP-1, OP-2: both.\n#[test]\nfn a() {}\n";
        let with = |row: &str| {
            format!("{TWO}\n## {SENTENCES}\n\n| The specification says | Requirements |\n|---|---|\n{row}\n")
        };
        assert_eq!(tree(&with("| HEAD is GET. | OP-1, OP-2 |"), tests), Ok(()));
        assert_eq!(
            tree(&with("| Events: not shown. | none: nothing is sent |"), tests),
            Ok(())
        );
        assert!(tree(&with("| HEAD is GET. | OP-3 |"), tests).is_err());
        assert!(tree(&with("| HEAD is GET. |  |"), tests).is_err());
    }

    #[test]
    fn prose_has_no_id() {
        assert!(leading_ids(" UTF-8 is the only encoding").is_empty());
        assert_eq!(leading_ids(" OP-1: UTF-8 is the only encoding"), ["OP-1"]);
    }
}
