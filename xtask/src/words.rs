//! `cargo xtask words`: comments and documentation use the field's terms.
//!
//! The check is a list of phrases with their replacements, and of words that must not begin the summary line of a doc
//! comment. It reads comments in Rust sources and every Markdown page, without code in backquotes or fences.

use std::path::Path;

use crate::workspace::{Outcome, pages, read, rust_files};

/// Words that begin a summary without a subject.
const OPENINGS: [&str; 20] = [
    "What",
    "Who",
    "Whoever",
    "Whom",
    "Whose",
    "Whatever",
    "Those",
    "These",
    "That",
    "It",
    "They",
    "Nobody",
    "Somebody",
    "Everybody",
    "The same",
    "So many",
    "So much",
    "So long",
    "So often",
    "So far",
];

/// Phrases without a technical meaning, and their replacements.
const PHRASES: [(&str, &str); 46] = [
    ("stands", "is"),
    ("stand in", "be in"),
    ("is told", "is answered, reported"),
    ("are told", "are answered, reported"),
    ("be told", "be answered, reported"),
    ("was told", "was answered"),
    ("tells of", "reports"),
    ("is there", "exists"),
    ("are there", "exist"),
    ("is not there", "does not exist"),
    ("are not there", "do not exist"),
    ("was there", "existed"),
    ("passed over", "ignored"),
    ("passes over", "ignores"),
    ("pass over", "ignore"),
    ("besides", "also"),
    ("made ready", "compiled"),
    ("makes ready", "compiles"),
    ("given up", "cancelled"),
    ("gives up", "cancels"),
    ("give up", "cancel"),
    ("shut out", "disabled"),
    ("shuts out", "disables"),
    ("put off", "extended"),
    ("puts off", "extends"),
    ("laid over", "merged into"),
    ("lays over", "merges into"),
    ("lay over", "merge into"),
    ("the words of", "the syntax of"),
    ("who asks", "the caller"),
    ("whoever asks", "the caller"),
    ("not good", "invalid"),
    ("is good", "is valid"),
    ("rules", "policies"),
    ("records", "rows"),
    ("a block", "a batch"),
    ("blocks of", "batches of"),
    ("a piece", "a chunk"),
    ("pieces", "chunks"),
    ("the house", "the architecture"),
    ("so many", "the number"),
    ("so much", "the amount"),
    ("whoever", "the caller, the client"),
    ("a riddle", "unclear"),
    ("of one's own", "custom"),
    ("of their own accord", "by themselves"),
];

/// Rejects the phrases in files below these paths, or in every file without paths. Lists all of them at once.
pub(crate) fn run(root: &Path, paths: &[&str]) -> Outcome {
    let is_meant = |file: &Path| {
        let name = file.strip_prefix(root).unwrap_or(file);
        paths.is_empty()
            || paths
                .iter()
                .any(|path| name.starts_with(path.trim_start_matches("./")))
    };
    let mut found = Vec::new();
    for folder in ["crates", "backend", "browser-tests", "xtask", "examples", "bench"] {
        let folder = root.join(folder);
        if folder.exists() {
            for file in rust_files(&folder)?.into_iter().filter(|file| is_meant(file)) {
                found.extend(in_rust(&read(&file)?).into_iter().map(|hit| hit.at(root, &file)));
            }
        }
    }
    for file in pages(root)?.into_iter().filter(|file| is_meant(file)) {
        found.extend(
            in_markdown(&read(&file)?)
                .into_iter()
                .map(|hit| hit.at(root, &file)),
        );
    }
    for line in &found {
        println!("{line}");
    }
    match found.len() {
        0 => Ok(()),
        count => Err(format!(
            "{count} places use words that the field does not: see the lines above"
        )),
    }
}

/// A line and its problem.
#[derive(Debug, Clone, PartialEq)]
struct Hit {
    line: usize,
    problem: String,
}

impl Hit {
    fn at(self, root: &Path, file: &Path) -> String {
        let file = file.strip_prefix(root).unwrap_or(file);
        format!("{}:{}: {}", file.display(), self.line, self.problem)
    }
}

fn in_rust(source: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    let (mut in_doc, mut in_fence) = (false, false);
    let mut previous = String::new();
    for (number, line) in source.lines().enumerate() {
        let line = line.trim_start();
        let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(comment) = doc.or_else(|| line.strip_prefix("//")) else {
            (in_doc, in_fence) = (false, false);
            previous.clear();
            continue;
        };
        if doc.is_some() && comment.trim_start().starts_with("```") {
            in_fence = !in_fence;
            previous.clear();
        } else if !in_fence {
            let text = without_code(comment.trim());
            let is_summary = doc.is_some() && !in_doc;
            let opening = OPENINGS
                .iter()
                .find(|opening| is_summary && begins_with(&text, opening));
            hits.extend(opening.map(|opening| Hit {
                line: number + 1,
                problem: format!("the summary begins with \"{opening}\": begin with a noun or a verb that names its subject"),
            }));
            hits.extend(phrases_in(&text, number + 1));
            hits.extend(phrases_across(&previous, &text, number + 1));
            previous = text;
        }
        in_doc = doc.is_some();
    }
    hits
}

fn in_markdown(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut in_fence = false;
    let mut previous = String::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
            previous.clear();
        } else if !in_fence {
            let line = without_code(line.trim());
            hits.extend(phrases_in(&line, number + 1));
            hits.extend(phrases_across(&previous, &line, number + 1));
            previous = line;
        }
    }
    hits
}

/// Returns the phrases that begin on one line and end on the next.
fn phrases_across(previous: &str, line: &str, number: usize) -> Vec<Hit> {
    let mut hits = phrases_in(&format!("{previous} {line}"), number);
    let whole = [phrases_in(previous, number), phrases_in(line, number)].concat();
    hits.retain(|hit| !whole.contains(hit));
    hits
}

fn phrases_in(text: &str, line: usize) -> Vec<Hit> {
    let lower = text.to_lowercase();
    let is_in = |phrase: &str| {
        lower.match_indices(phrase).any(|(at, _)| {
            let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
            !is_letter(lower[..at].chars().next_back())
                && !is_letter(lower[at + phrase.len()..].chars().next())
        })
    };
    let hits = PHRASES.iter().filter(|(phrase, _)| is_in(phrase));
    hits.map(|(phrase, instead)| Hit {
        line,
        problem: format!("\"{phrase}\": write \"{instead}\""),
    })
    .collect()
}

/// Removes code in backquotes from a text.
fn without_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').step_by(2).collect();
    parts.join("``")
}

fn begins_with(text: &str, opening: &str) -> bool {
    let rest = text.strip_prefix(opening);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_that_begins_with_a_pronoun_is_rejected() {
        assert_eq!(in_rust("/// What a column is for.\nstruct A;").len(), 1);
        assert_eq!(
            in_rust("/// The purpose of a column.\n/// What follows is fine.\nstruct A;").len(),
            0
        );
        assert_eq!(in_rust("/// Whatsoever.\nstruct A;").len(), 0);
    }

    #[test]
    fn a_phrase_is_rejected_in_comments_and_pages_with_its_line() {
        let expected = Hit {
            line: 2,
            problem: "\"is told\": write \"is answered, reported\"".to_owned(),
        };
        assert_eq!(in_rust("\n// The client is told so.\n"), [expected]);
        assert_eq!(in_markdown("The client is told so.").len(), 1);
    }

    #[test]
    fn a_phrase_across_two_lines_is_rejected() {
        assert_eq!(in_rust("// The client is\n// told so.\n").len(), 1);
        assert_eq!(in_markdown("The client is\ntold so.").len(), 1);
        assert_eq!(in_rust("// The client is\nlet a = 1;\n// told so.\n").len(), 0);
        assert_eq!(in_markdown("The client is\n\ntold so.").len(), 0);
    }

    #[test]
    fn code_is_not_prose() {
        assert_eq!(in_markdown("```\nis told\n```\n`is told`").len(), 0);
        assert_eq!(
            in_rust("/// ```\n/// let rules = 1;\n/// ```\nlet rules = \"is told\";").len(),
            0
        );
        assert_eq!(in_markdown("a ruleset of overrules").len(), 0);
    }
}
