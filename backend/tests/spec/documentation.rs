//! Documentation: the pages match the code.

use std::path::Path;

/// Crates that the workspace does not compile, whose code pages compare with their own.
const OTHER_CRATES: [&str; 1] = ["sqlx::"];

/// Test with the README's examples that are not complete.
const README_TEST: &str = "crates/framework-tests/tests/access/readme_users.rs";

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    std::fs::read_to_string(root.join(path)).unwrap()
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns the names in a compiler message, such as those between "The options are " and the end of its line.
fn names_after(message: &str, words: &str) -> Vec<String> {
    let (_, list) = message.split_once(words).unwrap();
    let list = list.lines().next().unwrap();
    let names = list.split(", ").filter(|name| !name.contains(' '));
    names.map(str::to_owned).collect()
}

/// DOC-1: every page with Rust examples is a doc test, and all of them are compiled.
#[test]
fn the_examples_of_the_pages_are_compiled() {
    let library = read("crates/framework-tests/src/lib.rs");
    let tested = without_space(&read(README_TEST));
    let mut pages = vec!["README.md".to_owned()];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for file in root.join("docs/guide").read_dir().unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        pages.push(format!("docs/guide/{name}"));
    }
    let mut compiled = 0;
    for page in pages {
        let text = read(&page);
        if !text.contains("```rust") {
            continue;
        }
        let included = format!("include_str!(\"../../../{page}\")");
        assert!(library.contains(&included), "{page} is no doc test");
        for block in text.split("```rust,ignore\n").skip(1) {
            let code = block.split("\n```").next().unwrap();
            let is_other = OTHER_CRATES.iter().any(|name| code.contains(name));
            let is_tested = page == "README.md" && tested.contains(&without_space(code));
            assert!(
                is_other || is_tested,
                "{page} has an example that is not compiled:\n{code}"
            );
        }
        compiled += 1;
    }
    assert!(compiled > 30, "only {compiled} pages have examples");
}

/// DOC-2: the page about models lists every option, type and message that the compiler knows.
#[test]
fn the_page_about_models_has_every_option_and_type() {
    let page = read("docs/guide/models.md");
    let compiler = |test: &str| {
        read(&format!(
            "crates/framework-tests/tests/compile_fail/{test}.stderr"
        ))
    };
    let options = names_after(&compiler("unknown_column_option"), "The options are ");
    assert!(options.len() > 20, "{options:?}");
    let types = names_after(&compiler("unsupported_field_type"), "columns hold ");
    assert!(types.len() > 12, "{types:?}");
    let codes = names_after(&compiler("message_of_an_unknown_check"), "The messages are ");
    assert!(codes.len() > 12, "{codes:?}");
    for name in options.iter().chain(&types).chain(&codes) {
        let starts = |end: &str| page.contains(&format!("`{name}{end}"));
        assert!(
            ["`", " = ", "("].into_iter().any(starts),
            "docs/guide/models.md has no `{name}`"
        );
    }
}
