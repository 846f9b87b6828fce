//! Documentation: the pages match the code.

use std::path::Path;

const COMPILED: [&str; 16] = [
    "docs/guide/axum.md",
    "docs/guide/bulk.md",
    "docs/guide/coming-from-django.md",
    "docs/guide/decorators.md",
    "docs/guide/descriptions.md",
    "docs/guide/hardening.md",
    "docs/guide/lists.md",
    "docs/guide/models.md",
    "docs/guide/openapi.md",
    "docs/guide/pages.md",
    "docs/guide/policies.md",
    "docs/guide/queries.md",
    "docs/guide/authentication.md",
    "docs/guide/relations.md",
    "docs/guide/resources.md",
    "docs/guide/serializers.md",
];

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// Returns the names in a compiler message, such as those between "The options are " and the end of its line.
fn names_after(message: &str, words: &str) -> Vec<String> {
    let (_, list) = message.split_once(words).unwrap();
    let list = list.lines().next().unwrap();
    let names = list.split(", ").filter(|name| !name.contains(' '));
    names.map(str::to_owned).collect()
}

/// DOC-1: the pages with examples are doc tests, and all of their Rust code is compiled.
#[test]
fn the_examples_of_the_pages_are_compiled() {
    let library = read("crates/framework-tests/src/lib.rs");
    for page in COMPILED {
        let included = format!("include_str!(\"../../../{page}\")");
        assert!(library.contains(&included), "{page} is no doc test");
        let text = read(page);
        assert!(text.contains("```rust\n"), "{page} has no example that runs");
        assert!(
            !text.contains("rust,ignore"),
            "{page} has an example that is not compiled"
        );
    }
    assert!(library.contains("include_str!(\"../../../README.md\")"));
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
