//! `cargo xtask links`: checks the links, titles and first paragraphs of the documentation pages.
//!
//! Only links inside the repository are checked: their file must exist, and their fragment must be a heading of it. A path
//! in backquotes must exist too: one that begins with a folder of the repository, and the last part of a Rust file's path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::workspace::{Outcome, pages, read, rust_files};

/// Folders of the repository.
const FOLDERS: [&str; 7] = [
    "backend/",
    "bench/",
    "conformance/",
    "crates/",
    "docs/",
    "examples/",
    "xtask/",
];

/// Rejects broken links, shared titles, pages without an introduction and pages that no other page links to.
pub(crate) fn run(root: &Path) -> Outcome {
    let mut texts = BTreeMap::new();
    for file in pages(root)? {
        let name = file.strip_prefix(root).unwrap_or(&file).to_path_buf();
        texts.insert(name, Page::parse(&read(&file)?));
    }
    let mut sources = Vec::new();
    for folder in FOLDERS {
        sources.extend(rust_files(&root.join(folder))?);
    }
    let problems = problems(&texts, |path| {
        root.join(path).exists() || is_source(path) && sources.iter().any(|file| file.ends_with(path))
    });
    if problems.is_empty() {
        let links: usize = texts.values().map(|page| page.links.len()).sum();
        println!("{} pages, {links} links", texts.len());
        return Ok(());
    }
    for problem in &problems {
        println!("{problem}");
    }
    Err(format!("{} problems in the pages", problems.len()))
}

/// The relevant content of a page.
struct Page {
    title: Option<String>,
    /// Whether a paragraph follows the title.
    has_introduction: bool,
    anchors: BTreeSet<String>,
    /// Targets of links, with their lines.
    links: Vec<(usize, String)>,
    /// Paths in backquotes, with their lines.
    paths: Vec<(usize, String)>,
}

impl Page {
    fn parse(text: &str) -> Self {
        let mut page = Self {
            title: None,
            has_introduction: false,
            anchors: BTreeSet::new(),
            links: Vec::new(),
            paths: Vec::new(),
        };
        let mut in_fence = false;
        let mut is_first = false;
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                (in_fence, is_first) = (!in_fence, false);
                continue;
            }
            if in_fence || line.trim().is_empty() {
                continue;
            }
            let heading = line.trim_start_matches('#');
            if heading.len() < line.len() && heading.starts_with(' ') {
                page.anchors.insert(anchor(heading.trim(), &page.anchors));
                is_first = page.title.is_none();
                page.title.get_or_insert_with(|| heading.trim().to_owned());
            } else {
                page.has_introduction |= is_first && !line.starts_with(['|', '-', '*']);
                is_first = false;
            }
            page.links
                .extend(targets(line).into_iter().map(|target| (number + 1, target)));
            page.paths
                .extend(paths(line).map(|path| (number + 1, path.to_owned())));
        }
        page
    }
}

fn problems(pages: &BTreeMap<PathBuf, Page>, exists: impl Fn(&Path) -> bool) -> Vec<String> {
    let mut problems = Vec::new();
    let mut titles: BTreeMap<&str, &Path> = BTreeMap::new();
    let mut linked = BTreeSet::new();
    for (name, page) in pages {
        let place = name.display();
        match page.title.as_deref() {
            None => problems.push(format!("{place}:1: no title")),
            Some(title) => {
                if let Some(other) = titles.insert(title, name) {
                    problems.push(format!("{place}:1: has the title of {}", other.display()));
                }
            }
        }
        if !page.has_introduction {
            problems.push(format!("{place}:2: no paragraph says what the page is for"));
        }
        for (line, target) in &page.links {
            let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => name.clone(),
                file => resolved(name, file),
            };
            if !exists(&path) {
                problems.push(format!("{place}:{line}: {target} does not exist"));
            } else if let Some(other) = pages.get(&path)
                && !fragment.is_empty()
                && !other.anchors.contains(fragment)
            {
                problems.push(format!("{place}:{line}: {target} has no such heading"));
            }
            linked.insert(path);
        }
        for (line, path) in &page.paths {
            if !exists(Path::new(path)) {
                problems.push(format!("{place}:{line}: `{path}` does not exist"));
            }
        }
    }
    let unlinked = pages
        .keys()
        .filter(|name| name.starts_with("docs") && !linked.contains(*name));
    problems.extend(unlinked.map(|name| format!("{}:1: no page links to it", name.display())));
    problems
}

/// Returns the targets of a line's links that lead into the repository.
fn targets(line: &str) -> Vec<String> {
    // Code may contain `](`.
    let text: String = line.split('`').step_by(2).collect();
    let ends = text.split("](").skip(1);
    let targets = ends.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
    targets.filter(|target| !target.contains("://")).collect()
}

/// Returns the paths that a line names in backquotes, except patterns.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split('`').skip(1).step_by(2);
    code.filter(|code| {
        let is_path = is_source(Path::new(code)) || FOLDERS.iter().any(|folder| code.starts_with(folder));
        // The specification quotes paths of another implementation, in Python.
        is_path && !code.ends_with(".py") && !code.contains(['{', '*', '<', ' ', ':'])
    })
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// Returns a link's path from the root of the repository.
fn resolved(page: &Path, link: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

/// Returns the fragment by which GitHub identifies a heading.
fn anchor(heading: &str, earlier: &BTreeSet<String>) -> String {
    let text = heading.to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    let first: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
    let repeated = (1..).map(|number| format!("{first}-{number}"));
    let mut candidates = std::iter::once(first.clone()).chain(repeated);
    candidates
        .find(|anchor| !earlier.contains(anchor))
        .unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pages: &[(&str, &str)]) -> Vec<String> {
        let pages = pages.iter();
        let pages = pages
            .map(|(name, text)| (PathBuf::from(name), Page::parse(text)))
            .collect();
        problems(&pages, |path| pages.contains_key(path) || path == "src/a.rs")
    }

    #[test]
    fn links_to_files_and_headings_are_followed() {
        let pages = [
            (
                "README.md",
                "# A\n\nText: [b](docs/b.md#two-words), [web](https://x.example), `[c](d)`.\n",
            ),
            (
                "docs/b.md",
                "# B\n\nSee [code](../src/a.rs), [below](#two-words-1) and [up](../README.md).\n\n## Two `words`\n\n## Two words\n",
            ),
        ];
        assert_eq!(of(&pages), Vec::<String>::new());
    }

    #[test]
    fn broken_links_are_rejected_with_their_line() {
        let pages = [(
            "README.md",
            "# A\n\nText [b](b.md).\n[c](#c) `docs/e.md` `docs/*.md`\n```\n[d](d.md)\n```\n",
        )];
        let expected = [
            "README.md:3: b.md does not exist",
            "README.md:4: #c has no such heading",
            "README.md:4: `docs/e.md` does not exist",
        ];
        assert_eq!(of(&pages), expected);
    }

    #[test]
    fn each_page_has_a_title_an_introduction_and_a_link_to_it() {
        let pages = [
            ("A.md", "# A\n\n## B\n\nText.\n"),
            ("README.md", "# A\n\nText.\n"),
            ("docs/c.md", "Text.\n"),
        ];
        let expected = [
            "A.md:2: no paragraph says what the page is for",
            "README.md:1: has the title of A.md",
            "docs/c.md:1: no title",
            "docs/c.md:2: no paragraph says what the page is for",
            "docs/c.md:1: no page links to it",
        ];
        assert_eq!(of(&pages), expected);
    }
}
