//! `cargo xtask new-application`: what a new user does, from the first command to a served application.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::scratch::Scratch;
use crate::workspace::{self, Outcome, call, program_folder, read, remove_cargo_variables};

/// Writes an application, adds resources, changes a model, makes the migrations, and runs its tests and its audit.
pub(crate) fn run(root: &Path) -> Outcome {
    // As `cargo install` compiles it.
    call(workspace::cargo(root).args(["build", "--package", "model-resource-cli"]))?;
    let programs = program_folder()?;
    let place = Scratch::new()?;
    let folder = place.path().join("library");
    let scaffold = |folder: &Path, arguments: &[&str]| {
        call(
            Command::new(programs.join("model-resource"))
                .args(arguments)
                .current_dir(folder),
        )
    };
    // Compiled below the workspace, so that another run compiles only what has changed.
    let target = root.join("target/new-application");
    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new("cargo");
        remove_cargo_variables(cargo.current_dir(&folder));
        call(cargo.env("CARGO_TARGET_DIR", &target).args(arguments))
    };

    scaffold(
        place.path(),
        &["new", "library", "--path", &root.display().to_string()],
    )?;
    // The versions that everything else is tested with.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))
        .map_err(|error| format!("cannot copy Cargo.lock: {error}"))?;
    scaffold(&folder, &["add", "resource", "Author", "name:string"])?;
    let fields = "title:string isbn:string:unique price:decimal? published:date? details:json? author:Author";
    let fields: Vec<&str> = fields.split(' ').collect();
    scaffold(&folder, &[&["add", "resource", "Book"][..], &fields[..]].concat())?;
    cargo(&["run", "--", "make-migration", "add_books"])?;
    let book = folder.join("src/resources/book.rs");
    let changed = read(&book)?.replace(
        "    #[column(created)]",
        "    #[column(default = 1)]\n    pub copies: i64,\n    #[column(created)]",
    );
    fs::write(&book, changed).map_err(|error| format!("cannot change {}: {error}", book.display()))?;
    cargo(&["run", "--", "make-migration", "count_copies"])?;
    cargo(&["run", "--", "migrate", "--check"])
        .err()
        .ok_or("pending migrations are not reported")?;
    cargo(&["run", "--", "migrate"])?;
    cargo(&["run", "--", "migrate", "--check"])?;
    cargo(&["test"])?;
    cargo(&["fmt", "--check"])?;
    cargo(&["run", "--", "audit"])
}
