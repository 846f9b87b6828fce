//! The program `model-resource`, which writes applications. `cargo xtask new-application` compiles and tests what it writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Runs the program in a folder.
fn run(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_model-resource"))
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// Returns the error of a command that fails.
fn failure(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments}: {output:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// Returns a folder with a new application `library` in it.
fn library() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), "new library");
    assert!(output.status.success(), "{output:?}");
    folder
}

/// Returns every file below a folder with its text, in a stable order.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").display().to_string();
                files.push((name, fs::read_to_string(&path).expect("text")));
            }
        }
    }
    files.sort();
    files
}

/// NEW-4: what `cargo install model-resource-cli` compiles.
#[test]
fn the_program_depends_on_neither_the_framework_nor_a_database() {
    let cargo = std::env::var("CARGO").expect("cargo runs the tests");
    let mut tree = Command::new(cargo);
    tree.args([
        "tree",
        "--package=model-resource-cli",
        "--edges=normal,build",
        "--prefix=none",
        "--locked",
        "--offline",
    ]);
    let output = tree.current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.expect("cargo starts");
    assert!(output.status.success(), "{output:?}");
    let tree = String::from_utf8(output.stdout).expect("text");
    let crates: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("clap"), "{tree}");
    for heavy in ["hyper", "model-resource", "rusqlite", "tokio", "tokio-postgres"] {
        assert!(!crates.contains(heavy), "{heavy} in {tree}");
    }
}

/// NEW-1
#[test]
fn a_new_application_has_a_resource_a_migration_and_tests() {
    let folder = library();
    let files = files(&folder.path().join("library"));
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            ".gitignore",
            "Cargo.toml",
            "README.md",
            "migrations/sqlite/V1__create_notes.down.sql",
            "migrations/sqlite/V1__create_notes.sql",
            "src/lib.rs",
            "src/main.rs",
            "src/resources/mod.rs",
            "src/resources/note.rs",
            "tests/migrations.rs",
            "tests/notes.rs",
        ]
    );
    let unfilled = files
        .iter()
        .find(|(_, text)| text.contains("{name}") || text.contains("{library}"));
    assert_eq!(unfilled, None);

    let message = failure(folder.path(), "new library");
    assert_eq!(
        message,
        "model-resource: library exists already; nothing was written\n"
    );
}

/// NEW-1: a relative path stays relative, so that the application and the checkout can be moved together.
#[test]
fn the_path_of_a_checkout_is_written_as_it_was_given() {
    let folder = tempfile::tempdir().expect("a folder");
    for package in ["audit", "cli", "model-resource", "testing"] {
        fs::create_dir_all(folder.path().join("checkout/crates").join(package)).expect("a folder");
    }
    let absolute = folder.path().join("checkout").display().to_string();
    for (name, path, written) in [
        ("one", "checkout", "../checkout"),
        ("two", "./checkout/", "../checkout"),
        ("four", &absolute, &absolute),
    ] {
        let output = run(folder.path(), &format!("new {name} --path {path}"));
        assert!(output.status.success(), "{output:?}");
        let manifest = fs::read_to_string(folder.path().join(name).join("Cargo.toml")).expect("text");
        let line = format!(
            "model-resource-cli = {{ path = \"{written}/crates/cli\", features = [\"audit\", \"sqlite\"] }}\n"
        );
        assert!(manifest.contains(&line), "no {line} in {manifest}");
        assert!(folder.path().join(name).join(written).join("crates/cli").exists());
    }
    let inside = folder.path().join("checkout");
    for (path, written) in [(".", ".."), ("../checkout", "../../checkout")] {
        let name = format!("in-{}", written.len());
        let output = run(&inside, &format!("new {name} --path {path}"));
        assert!(output.status.success(), "{output:?}");
        let manifest = fs::read_to_string(inside.join(&name).join("Cargo.toml")).expect("text");
        assert!(
            manifest.contains(&format!("\"{written}/crates/cli\"")),
            "{manifest}"
        );
    }
}

/// NEW-2
#[test]
fn a_resource_is_added_and_registered() {
    let folder = library();
    let application = folder.path().join("library");
    let output = run(&application, "add resource Author name:string");
    assert!(output.status.success(), "{output:?}");
    let output = run(
        &application,
        "add resource BookCopy title:string isbn:string:unique author:Author",
    );
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(
        printed.contains("cargo run -- make-migration add_book_copies\n"),
        "{printed}"
    );

    let registry = fs::read_to_string(application.join("src/resources/mod.rs")).expect("text");
    assert!(
        registry.contains("mod author;\nmod book_copy;\nmod note;\n"),
        "{registry}"
    );
    assert!(
        registry.contains("        .model_resource::<book_copy::BookCopyResource>()\n}"),
        "{registry}"
    );
    let copy = fs::read_to_string(application.join("src/resources/book_copy.rs")).expect("text");
    assert!(
        copy.contains("#[model_resource(BookCopy, \"/book-copies\", \"/book-copies/<int:id>\")]"),
        "{copy}"
    );
}

/// NEW-3: the README of a new application names every file and every text of its example.
#[test]
fn the_example_is_removed_as_the_readme_says() {
    let folder = library();
    let application = folder.path().join("library");
    let output = run(&application, "add resource Book title:string");
    assert!(output.status.success(), "{output:?}");
    let readme = fs::read_to_string(application.join("README.md")).expect("text");
    let steps = readme.split("To remove them").nth(1).expect("the steps");
    let named: Vec<&str> = steps.split('`').skip(1).step_by(2).collect();
    let (paths, rest): (Vec<&str>, Vec<&str>) = named
        .into_iter()
        .partition(|name| application.join(name).exists());
    let (registry, paths): (Vec<&str>, Vec<&str>) =
        paths.into_iter().partition(|path| path.ends_with("mod.rs"));
    for path in paths {
        fs::remove_file(application.join(path)).expect("a file");
    }
    let registry = application.join(registry[0]);
    let mut text = fs::read_to_string(&registry).expect("text");
    for part in rest.iter().filter(|part| part.contains("note")) {
        text = text.replace(part, "");
    }
    fs::write(&registry, &text).expect("a file");
    assert!(
        text.contains("mod book;") && text.contains("<book::BookResource>()"),
        "{text}"
    );
    for (name, text) in files(&application) {
        let is_left = name.to_lowercase().contains("note") || text.to_lowercase().contains("note");
        assert!(!is_left || name == "README.md", "{name}: {text}");
    }
}

/// NEW-2
#[test]
fn a_mistake_is_an_error_with_the_remedy_and_writes_nothing() {
    let folder = library();
    let application = folder.path().join("library");
    let before = files(&application);
    for (arguments, remedy) in [
        ("add resource book title:string", "CamelCase"),
        ("add resource Note title:string", "has `mod note;` already"),
        ("add resource Book title", "write `title:string`"),
        ("add resource Book title:varchar", "use string, text"),
        ("add resource Book title:string title:text", "twice"),
        ("add resource Book author:Author", "add the resource Author first"),
        ("add resource Book sequel:Book", "make it optional by `Book?`"),
        (
            "add --folder src resource Book title:string",
            "that `model-resource new` wrote",
        ),
    ] {
        let message = failure(&application, arguments);
        assert!(message.contains(remedy), "{arguments}: {message}");
    }
    assert_eq!(files(&application), before);
    for arguments in [
        "new Library",
        "new ../library",
        "new test",
        "new x --path nowhere",
    ] {
        failure(folder.path(), arguments);
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
