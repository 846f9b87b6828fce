//! Questions to a person at a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Child;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::library::{command, printed};
use crate::migrations::{MODELS, Package};

/// Maximum time until a program shows something, on a machine that is busy with other tests.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// A program that runs at a terminal, and the person in front of it. The program is killed on drop.
struct Terminal {
    program: Child,
    person: File,
    /// Chunks of text that a thread reads from the terminal.
    chunks: Receiver<Vec<u8>>,
    shown: String,
}

impl Terminal {
    fn start(package: &Package, models: &str, arguments: &[&str]) -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let device = ptsname(&person, Vec::new()).unwrap().into_string().unwrap();
        let device = || File::options().read(true).write(true).open(&device).unwrap();
        let program = command(package.folder(), arguments)
            .env(MODELS, models)
            .stdin(device())
            .stdout(device())
            .stderr(device())
            .spawn()
            .unwrap();
        let person = File::from(person);
        Self {
            program,
            chunks: chunks(person.try_clone().unwrap()),
            person,
            shown: String::new(),
        }
    }

    /// Answers once the question is on the terminal.
    fn answer(&mut self, question: &str, answer: &str) {
        while !self.shown.contains(question) {
            assert!(self.read(), "no {question:?} in {}", self.shown);
        }
        self.shown.clear();
        writeln!(self.person, "{answer}").unwrap();
    }

    /// Waits for the end; returns whether it was a success, and what was shown since the last answer.
    fn end(mut self) -> (bool, String) {
        // Before the wait, since a program that shows more than the terminal holds does not end.
        while self.read() {}
        let status = self.program.wait().unwrap();
        (status.success(), std::mem::take(&mut self.shown))
    }

    /// Waits for what is shown next; returns whether there was something before the end of the program.
    fn read(&mut self) -> bool {
        match self.chunks.recv_timeout(MAX_WAIT) {
            Ok(chunk) => {
                self.shown.push_str(&String::from_utf8_lossy(&chunk));
                true
            }
            Err(RecvTimeoutError::Disconnected) => false,
            Err(RecvTimeoutError::Timeout) => panic!("nothing follows {}", self.shown),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Reads from a terminal until no program uses it, which is an error on Linux.
fn chunks(mut terminal: File) -> Receiver<Vec<u8>> {
    let (sender, chunks) = mpsc::channel();
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(length @ 1..) = terminal.read(&mut chunk) {
            if sender.send(chunk[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    chunks
}

/// MIG-1: questions about renamed columns and values are asked at a terminal until there is a valid answer.
#[test]
fn a_person_answers_what_has_changed() {
    let package = Package::with_books(&["Emma"]);
    let mut terminal = Terminal::start(&package, "second", &["make-migration", "pages"]);
    terminal.answer("Number: ", "7");
    terminal.answer("\"7\" is not one of the numbers", "");
    terminal.answer("Number: ", "1");
    terminal.answer("Value of books.pages for the rows that exist: ", "many");
    terminal.answer("Value of books.pages for the rows that exist: ", "300");
    let (succeeded, shown) = terminal.end();
    assert!(succeeded, "{shown}");
    package.migrate("second");
    assert_eq!(package.titles("name || pages"), ["Emma300"]);
}

/// MIG-1: a column that got no new name is removed.
#[test]
fn a_person_removes_a_column() {
    let package = Package::with_books(&["Emma"]);
    let mut terminal = Terminal::start(&package, "third", &["make-migration", "subjects"]);
    terminal.answer("0  none: it is removed with its values", "0");
    let (succeeded, shown) = terminal.end();
    assert!(succeeded, "{shown}");
    assert!(
        package
            .read("migrations/sqlite/V2__subjects.sql")
            .contains("subject")
    );
    package.migrate("third");
    assert_eq!(package.titles("coalesce(subject, 'none')"), ["none"]);
}

/// MIG-2: taking back a migration is confirmed at a terminal, and refused by any other answer than yes.
#[test]
fn a_person_confirms_that_a_migration_is_taken_back() {
    let package = Package::with_books(&["Emma"]);
    for (answer, succeeds) in [("", false), ("no", false), ("Yes", true)] {
        let mut terminal = Terminal::start(&package, "first", &["migrate", "--to", "0"]);
        terminal.answer("Take back V1__books, with their values? [y/N] ", answer);
        let (succeeded, shown) = terminal.end();
        assert_eq!(succeeded, succeeds, "{shown}");
        assert_eq!(shown.contains("nothing was changed"), !succeeds, "{shown}");
        assert_eq!(package.has_table("books"), !succeeds);
    }
}

/// CLI-10: a bar shows the progress at a terminal, and is replaced by the next line.
#[test]
fn progress_is_shown_at_a_terminal_alone() {
    let package = Package::with_books(&[]);
    let terminal = Terminal::start(&package, "first", &["seed"]);
    let (succeeded, shown) = terminal.end();
    assert!(succeeded, "{shown}");
    for part in ["] 0/4 books", "] 2/4 books, ", "\r\x1b[Kall are counted"] {
        assert!(shown.contains(part), "{part:?} in {shown:?}");
    }
    let unseen = package.run("first", &["seed"]);
    assert!(printed(&unseen).contains("all are counted"));
    assert!(
        !String::from_utf8_lossy(&unseen.stderr).contains("books"),
        "{unseen:?}"
    );
}
