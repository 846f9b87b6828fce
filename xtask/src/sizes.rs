//! `cargo xtask sizes`: checks that type names are unique, and functions and files short.
//!
//! Names are compared within the workspace and within `bench`, which is a workspace of its own. Tests are exempt from
//! all limits except the length of files, examples from the comparison of names. The reference application is to stay
//! short as a whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::source::{Source, Token, after_item};
use crate::workspace::{Outcome, read, rust_files};

/// Maximum lines of a function, from its signature to its closing brace.
const MAX_FUNCTION: usize = 60;

/// Maximum lines of a file.
const MAX_FILE: usize = 400;

/// Folder of the reference application, and the maximum of its lines.
const APPLICATION: (&str, usize) = ("backend/src", 900);

/// Folders with Rust sources, by workspace.
const WORKSPACES: [&[&str]; 2] = [
    &["crates", "backend", "examples", "browser-tests", "xtask"],
    &["bench"],
];

/// Rejects duplicate type names, long functions, long files and a long application. Lists all of them at once.
pub(crate) fn run(root: &Path) -> Outcome {
    let (mut problems, mut files) = (Vec::new(), 0);
    for folders in WORKSPACES {
        let checked = check(root, folders)?;
        problems.extend(checked.problems);
        files += checked.files;
    }
    let (folder, max) = APPLICATION;
    let lines = lines_below(&root.join(folder))?;
    if lines > max {
        problems.push(format!("{folder}: {lines} lines, more than {max}"));
    }
    if problems.is_empty() {
        println!(
            "{files} files, no duplicate type name, no long function or file; {folder} has {lines} of {max} lines"
        );
        return Ok(());
    }
    for problem in &problems {
        println!("{problem}");
    }
    Err(format!("{} names or sizes to change", problems.len()))
}

/// Returns the number of lines of the Rust files below a folder.
fn lines_below(folder: &Path) -> Outcome<usize> {
    let mut lines = 0;
    for file in rust_files(folder)? {
        lines += read(&file)?.lines().count();
    }
    Ok(lines)
}

/// The result of checking one workspace.
struct Checked {
    problems: Vec<String>,
    files: usize,
}

fn check(root: &Path, folders: &[&str]) -> Outcome<Checked> {
    let mut sources = BTreeMap::new();
    for folder in folders {
        for file in rust_files(&root.join(folder))? {
            let text = read(&file)?;
            let name = file.strip_prefix(root).unwrap_or(&file).to_path_buf();
            sources.insert(name, (text.lines().count(), Source::read(&text)));
        }
    }
    let test_modules: Vec<PathBuf> = sources
        .iter()
        .flat_map(|(file, (_, source))| source.test_modules.iter().map(|test| child(file, test)))
        .collect();
    let is_test = |file: &Path| {
        contains(file, "tests")
            || test_modules
                .iter()
                .any(|test| file.with_extension("").starts_with(test))
    };
    let mut problems = Vec::new();
    let mut types: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (file, (lines, source)) in &sources {
        if *lines > MAX_FILE {
            let place = file.display();
            problems.push(format!("{place}:{lines}: more than {MAX_FILE} lines"));
        }
        if is_test(file) {
            continue;
        }
        for (line, name, length) in long_functions(&source.tokens) {
            let place = file.display();
            problems.push(format!(
                "{place}:{line}: `{name}` has {length} lines, more than {MAX_FUNCTION}"
            ));
        }
        if !contains(file, "examples") {
            for (line, name) in visible_types(&source.tokens) {
                let places = types.entry(name).or_default();
                places.push(format!("{}:{line}", file.display()));
            }
        }
    }
    problems.extend(duplicates(types));
    Ok(Checked {
        problems,
        files: sources.len(),
    })
}

/// Returns a problem for each declaration of a name but the first.
fn duplicates(types: BTreeMap<&str, Vec<String>>) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, places) in types {
        if let [first, others @ ..] = places.as_slice() {
            let others = others.iter();
            problems.extend(others.map(|place| format!("{place}: type `{name}` exists at {first} too")));
        }
    }
    problems
}

/// Returns the line and name of each type and trait that other modules can see.
fn visible_types(tokens: &[Token]) -> Vec<(usize, &str)> {
    let mut types = Vec::new();
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| token.is("pub")) {
        let mut rest = &tokens[at + 1..];
        if let Some(end) = rest.iter().position(|token| token.is(")"))
            && rest[0].is("(")
        {
            rest = &rest[end + 1..];
        }
        if let [keyword, name, ..] = rest
            && ["struct", "enum", "trait", "union", "type"].contains(&keyword.text.as_str())
            && name.is_word()
        {
            types.push((name.line, name.text.as_str()));
        }
    }
    types
}

/// Returns the line, name and length of each function that is too long.
fn long_functions(tokens: &[Token]) -> Vec<(usize, &str, usize)> {
    let mut long = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        // `fn(` is a type.
        if pair[0].is("fn") && pair[1].is_word() {
            let last = &tokens[after_item(tokens, at) - 1];
            let length = last.line - pair[0].line + 1;
            if length > MAX_FUNCTION {
                long.push((pair[0].line, pair[1].text.as_str(), length));
            }
        }
    }
    long
}

/// Returns the path, without extension, of a module that a file declares.
fn child(file: &Path, module: &str) -> PathBuf {
    let parent = file.with_extension("");
    if ["lib", "main", "mod"].iter().any(|root| parent.ends_with(root)) {
        return parent.with_file_name(module);
    }
    parent.join(module)
}

fn contains(file: &Path, folder: &str) -> bool {
    file.iter().any(|part| part == folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        let scratch = Scratch::new().unwrap();
        for (name, text) in files {
            scratch.write(name, text);
        }
        check(scratch.path(), &["crates"]).unwrap().problems
    }

    #[test]
    fn a_name_of_two_visible_types_is_rejected() {
        let files = [
            ("crates/a/src/lib.rs", "mod b;\npub struct Row<T>(T);"),
            ("crates/a/src/b.rs", "pub(super) struct Row;"),
            ("crates/c/src/lib.rs", "\npub(in crate::d) trait Row {}"),
        ];
        let expected = [
            "crates/a/src/lib.rs:2: type `Row` exists at crates/a/src/b.rs:1 too",
            "crates/c/src/lib.rs:2: type `Row` exists at crates/a/src/b.rs:1 too",
        ];
        assert_eq!(problems(&files), expected);
    }

    #[test]
    fn names_of_private_types_tests_and_examples_may_repeat() {
        let files = [
            (
                "crates/a/src/lib.rs",
                "#[cfg(test)]\nmod samples;\npub type Row = ();",
            ),
            ("crates/a/src/samples.rs", "pub struct Row;"),
            (
                "crates/a/src/b.rs",
                "struct Row;\npub fn row() {}\nimpl A { type Row = (); }",
            ),
            ("crates/a/src/c.rs", "#[cfg(test)]\nmod tests { pub struct Row; }"),
            ("crates/a/tests/d.rs", "pub struct Row;"),
            ("crates/a/examples/e.rs", "pub struct Row;"),
            (
                "crates/a/src/f.rs",
                "macro_rules! m { ($name:ident) => { pub struct $name; } }",
            ),
        ];
        assert_eq!(problems(&files), Vec::<String>::new());
    }

    #[test]
    fn a_long_function_is_rejected_outside_tests() {
        let long = format!("\npub async fn f() -> [u8; 2] {{\n{}}}\n", "g();\n".repeat(59));
        let short = long.replacen("g();\n", "", 1);
        let files = [
            ("crates/a/src/lib.rs", long.as_str()),
            ("crates/a/src/b.rs", &short),
            (
                "crates/a/src/c.rs",
                &format!("#[cfg(test)]\nmod tests {{ {long} }}"),
            ),
            ("crates/a/tests/d.rs", &long),
            ("crates/a/examples/e.rs", &long),
        ];
        let expected = [
            "crates/a/examples/e.rs:2: `f` has 61 lines, more than 60",
            "crates/a/src/lib.rs:2: `f` has 61 lines, more than 60",
        ];
        assert_eq!(problems(&files), expected);
    }

    #[test]
    fn a_long_file_is_rejected_everywhere() {
        let files = [
            ("crates/a/src/lib.rs", "\n".repeat(400)),
            ("crates/a/tests/b.rs", "\n".repeat(401)),
        ];
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        assert_eq!(problems(&files), ["crates/a/tests/b.rs:401: more than 400 lines"]);
    }

    #[test]
    fn a_long_application_is_rejected() {
        let scratch = Scratch::new().unwrap();
        for folders in WORKSPACES.into_iter().flatten() {
            std::fs::create_dir_all(scratch.path().join(folders)).unwrap();
        }
        let write = |lines: usize| scratch.write("backend/src/models/book.rs", &"\n".repeat(lines));
        for part in ["app", "api", "models"] {
            scratch.write(&format!("backend/src/{part}.rs"), &"\n".repeat(200));
        }
        write(300);
        assert_eq!(run(scratch.path()), Ok(()));
        write(301);
        assert_eq!(run(scratch.path()), Err("1 names or sizes to change".to_owned()));
    }
}
