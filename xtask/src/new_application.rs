//! `cargo xtask new-application`: what a new user does, from the first command to a served application.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::scratch::Scratch;
use crate::server::ServerProcess;
use crate::workspace::{self, Outcome, call, program_folder, read, remove_cargo_variables};

const ADDRESS: &str = "127.0.0.1:8737";
/// Maximum time of a new user from the installation to a served application.
const TARGET: Duration = Duration::from_secs(600);

/// Does it with the program of this workspace, and with dependencies that an earlier run has compiled.
pub(crate) fn run(root: &Path) -> Outcome {
    // As `cargo install` compiles it.
    call(workspace::cargo(root).args(["build", "--package", "model-resource-cli"]))?;
    let programs = program_folder()?;
    let place = Scratch::new()?;
    let trial = Trial {
        root,
        program: programs.join("model-resource"),
        place: place.path(),
        // Below the workspace, so that another run compiles only what has changed.
        target: root.join("target/new-application"),
    };
    trial.run()
}

/// Does it with nothing compiled, beginning with `cargo install`, and fails if it takes longer than its target.
pub(crate) fn run_fresh(root: &Path) -> Outcome {
    let place = Scratch::new()?;
    let installed = place.path().join("installed");
    let begin = Instant::now();
    timed(
        Command::new("cargo")
            .args(["install", "--locked", "--path"])
            .arg(root.join("crates/cli"))
            .arg("--root")
            .arg(&installed)
            .env("CARGO_TARGET_DIR", place.path().join("target-of-the-program")),
    )?;
    let trial = Trial {
        root,
        program: installed.join("bin/model-resource"),
        place: place.path(),
        target: place.path().join("target"),
    };
    trial.run()?;
    check_total(begin.elapsed())
}

/// Prints the whole time beside its target, and rejects a longer one.
fn check_total(total: Duration) -> Outcome {
    let (seconds, target) = (total.as_secs_f64(), TARGET.as_secs());
    let compared = format!("{seconds:.0} s in all, the target is at most {target} s");
    if total > TARGET {
        return Err(compared);
    }
    println!("-- {compared}");
    Ok(())
}

/// A new user with the program, in an empty folder.
struct Trial<'r> {
    root: &'r Path,
    program: PathBuf,
    place: &'r Path,
    target: PathBuf,
}

impl Trial<'_> {
    /// Writes an application, adds resources, changes a model, makes the migrations, and tests, audits and serves it.
    fn run(&self) -> Outcome {
        self.scaffold(
            self.place,
            &["new", "library", "--path", &self.root.display().to_string()],
        )?;
        // The versions that everything else is tested with.
        fs::copy(self.root.join("Cargo.lock"), self.folder().join("Cargo.lock"))
            .map_err(|error| format!("cannot copy Cargo.lock: {error}"))?;
        self.scaffold(&self.folder(), &["add", "resource", "Author", "name:string"])?;
        let fields =
            "title:string isbn:string:unique price:decimal? published:date? details:json? author:Author";
        let fields: Vec<&str> = fields.split(' ').collect();
        self.scaffold(
            &self.folder(),
            &[&["add", "resource", "Book"][..], &fields[..]].concat(),
        )?;
        self.cargo(&["run", "--", "make-migration", "add_books"])?;
        self.change_model()?;
        self.cargo(&["run", "--", "make-migration", "count_copies"])?;
        self.cargo(&["run", "--", "migrate", "--check"])
            .err()
            .ok_or("pending migrations are not reported")?;
        self.cargo(&["run", "--", "migrate"])?;
        self.cargo(&["run", "--", "migrate", "--check"])?;
        self.cargo(&["test"])?;
        self.cargo(&["fmt", "--check"])?;
        self.cargo(&["run", "--", "audit"])?;
        self.serve()
    }

    fn folder(&self) -> PathBuf {
        self.place.join("library")
    }

    fn scaffold(&self, folder: &Path, arguments: &[&str]) -> Outcome {
        timed(Command::new(&self.program).args(arguments).current_dir(folder))
    }

    fn cargo_command(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new("cargo");
        remove_cargo_variables(cargo.current_dir(self.folder()));
        cargo.env("CARGO_TARGET_DIR", &self.target).args(arguments);
        cargo
    }

    fn cargo(&self, arguments: &[&str]) -> Outcome {
        timed(&mut self.cargo_command(arguments))
    }

    fn change_model(&self) -> Outcome {
        let book = self.folder().join("src/resources/book.rs");
        let changed = read(&book)?.replace(
            "    #[column(created)]",
            "    #[column(default = 1)]\n    pub copies: i64,\n    #[column(created)]",
        );
        fs::write(&book, changed).map_err(|error| format!("cannot change {}: {error}", book.display()))
    }

    /// Serves the application, creates an author and a book, and reads the book.
    fn serve(&self) -> Outcome {
        let mut serve = self.cargo_command(&["run", "--", "serve", "--listen", ADDRESS]);
        let mut server = ServerProcess::start(serve.process_group(0), ADDRESS)?;
        let author = r#"{"name": "Ursula K. Le Guin"}"#;
        expect(&["/authors", "--json", author], "Ursula K. Le Guin")?;
        let book = r#"{"title": "The Dispossessed", "isbn": "9780061054884", "authorId": 1}"#;
        expect(&["/books", "--json", book], "The Dispossessed")?;
        expect(&["/books/1"], r#""copies":1"#)?;
        server.stop()
    }
}

/// Sends a request by curl. The response must contain a text.
fn expect(arguments: &[&str], expected: &str) -> Outcome {
    let (path, options) = arguments.split_first().ok_or("a request has a path")?;
    let url = format!("http://{ADDRESS}/api/v1{path}");
    let curl = Command::new("curl")
        .args(["--silent", "--show-error", "--fail-with-body", &url])
        .args(options)
        .output()
        .map_err(|error| format!("cannot start curl: {error}"))?;
    let response = String::from_utf8_lossy(&curl.stdout);
    println!("$ curl {url} {}\n{response}", options.join(" "));
    if curl.status.success() && response.contains(expected) {
        Ok(())
    } else {
        Err(format!("{url} has answered without {expected}: {response}"))
    }
}

/// Runs a command, and prints how long it took.
fn timed(command: &mut Command) -> Outcome {
    let begin = Instant::now();
    let outcome = call(command);
    println!("-- {:.1} s", begin.elapsed().as_secs_f64());
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_user_waits_ten_minutes_at_most() {
        assert_eq!(check_total(Duration::from_secs(600)), Ok(()));
        let message = check_total(Duration::from_secs(605)).unwrap_err();
        assert_eq!(message, "605 s in all, the target is at most 600 s");
    }
}
