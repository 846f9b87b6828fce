//! Migrations of an application whose models change.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, SystemTime};

use clap::Args;
use model_resource::store::EmbeddedMigrations;
use model_resource::{Api, Migrations, Model, model_resource};
use model_resource_cli::{Failure, Manage, OpenDatabase, ProgressBar};
use tempfile::TempDir;

use crate::library::{printed, refused, run_with};

/// Environment variable with the version of the models.
pub(crate) const MODELS: &str = "TEST_MODELS";

mod first {
    use super::*;

    #[derive(Model)]
    #[model(table = "books")]
    pub(super) struct Book {
        #[column(primary_key)]
        id: i64,
        title: String,
    }

    #[model_resource(Book, "/books", "/books/<int:id>")]
    pub(super) struct BookResource;
}

mod second {
    use super::*;

    #[derive(Model)]
    #[model(table = "books")]
    pub(super) struct Book {
        #[column(primary_key)]
        id: i64,
        #[column(unique)]
        name: String,
        pages: i32,
    }

    #[model_resource(Book, "/books", "/books/<int:id>")]
    pub(super) struct BookResource;
}

mod third {
    use super::*;

    #[derive(Model)]
    #[model(table = "books")]
    pub(super) struct Book {
        #[column(primary_key)]
        id: i64,
        subject: Option<String>,
    }

    #[model_resource(Book, "/books", "/books/<int:id>")]
    pub(super) struct BookResource;
}

mod fourth {
    use super::*;

    #[derive(Model)]
    #[model(table = "books")]
    pub(super) struct Book {
        #[column(primary_key)]
        id: i64,
        #[column(precision = 10, scale = 2)]
        title: model_resource::Decimal,
    }

    #[model_resource(Book, "/books", "/books/<int:id>")]
    pub(super) struct BookResource;
}

/// Returns the api with these models.
pub(crate) fn api(models: &str) -> Api {
    let api = Api::new("library");
    match models {
        "first" => api.model_resource::<first::BookResource>(),
        "third" => api.model_resource::<third::BookResource>(),
        "fourth" => api.model_resource::<fourth::BookResource>(),
        _ => api.model_resource::<second::BookResource>(),
    }
}

/// Returns the application with the models that the environment names; `None` without such a variable.
pub(crate) fn manage() -> Option<Manage> {
    let models = std::env::var(MODELS).ok()?;
    let migrations = Migrations::embedded(EmbeddedMigrations {
        package: ".",
        folder: "migrations",
        caller: "main.rs",
        is_read_at_start: true,
        files: &[],
    });
    let manage = Manage::new("my-library", move || api(&models)).migrations(migrations);
    Some(manage.unmanaged(["search_log"]).seed(count_books))
}

/// Counts books for a while
#[derive(Args)]
struct CountBooks {}

async fn count_books(_: OpenDatabase, _: CountBooks) -> Result<(), Failure> {
    let mut progress = ProgressBar::new(4, "books");
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_millis(110)).await;
        progress.advance(1);
    }
    progress.finish();
    println!("all are counted");
    Ok(())
}

/// Folder of a package.
pub(crate) struct Package(TempDir);

impl Package {
    /// A package whose database has these books of the first models.
    pub(crate) fn with_books(titles: &[&str]) -> Self {
        let package = Self::new(&["migrations/sqlite"]);
        printed(&package.run("first", &["make-migration", "books"]));
        package.migrate("first");
        for title in titles {
            package.execute(&format!("INSERT INTO books (title) VALUES ('{title}')"));
        }
        package
    }

    pub(crate) fn new(folders: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        for inner in folders {
            fs::create_dir_all(folder.path().join(inner)).unwrap();
        }
        fs::write(folder.path().join("main.rs"), "").unwrap();
        Self(folder)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn migrate(&self, models: &str) {
        printed(&self.run(models, &["migrate"]));
    }

    pub(crate) fn run(&self, models: &str, arguments: &[&str]) -> Output {
        run_with(self.0.path(), arguments, &[(MODELS, models)], "")
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.path().join(path)).unwrap()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.path().join(path).exists()
    }

    fn execute(&self, sql: &str) {
        let file = self.0.path().join("my-library.db");
        let connection = rusqlite::Connection::open(file).unwrap();
        connection.execute_batch(sql).unwrap();
    }

    pub(crate) fn has_table(&self, name: &str) -> bool {
        let file = self.0.path().join("my-library.db");
        let connection = rusqlite::Connection::open(file).unwrap();
        connection.table_exists(None, name).unwrap()
    }

    pub(crate) fn titles(&self, column: &str) -> Vec<String> {
        let file = self.0.path().join("my-library.db");
        let connection = rusqlite::Connection::open(file).unwrap();
        let sql = format!("SELECT {column} FROM books ORDER BY id");
        let mut prepared = connection.prepare(&sql).unwrap();
        let rows = prepared.query_map((), |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }
}

/// MIG-1, MIG-2: migrations are made from the models for both databases, applied, and taken back with their rows.
#[test]
fn migrations_follow_the_models_there_and_back() {
    let package = Package::new(&["migrations"]);
    let made = printed(&package.run("first", &["make-migration", "books"]));
    for part in [
        "migrations/sqlite/V1__books.sql",
        "migrations/postgres/V1__books.down.sql",
        "create table `books`",
    ] {
        assert!(made.contains(part), "{made}");
    }
    assert!(
        package
            .read("migrations/postgres/V1__books.sql")
            .contains("GENERATED BY DEFAULT AS IDENTITY")
    );
    let nothing = printed(&package.run("first", &["make-migration", "again"]));
    assert!(nothing.contains("nothing changed"), "{nothing}");
    assert!(printed(&package.run("first", &["migrate"])).contains("applied V1__books"));
    package.execute("INSERT INTO books (title) VALUES ('Emma'), ('Ulysses')");

    let question = refused(&package.run("second", &["make-migration", "pages"]), 1);
    assert!(question.contains("--rename books.title:name"), "{question}");
    let rename = ["make-migration", "pages", "--rename", "books.title:name"];
    let question = refused(&package.run("second", &rename), 1);
    assert!(question.contains("--default books.pages=VALUE"), "{question}");
    let answered = [&rename[..], &["--default", "books.pages=100"]].concat();
    let printed_only = printed(&package.run("second", &[&answered[..], &["--dry-run"]].concat()));
    assert!(
        printed_only.contains("-- migrations/sqlite/V2__pages.down.sql"),
        "{printed_only}"
    );
    assert!(!package.has("migrations/sqlite/V2__pages.sql"));
    printed(&package.run("second", &answered));

    assert!(printed(&package.run("second", &["migrate"])).contains("applied V2__pages"));
    assert_eq!(package.titles("name || pages"), ["Emma100", "Ulysses100"]);
    let message = refused(&package.run("second", &["migrate", "--to", "1"]), 1);
    assert!(
        message.contains("V2__pages") && message.contains("--yes"),
        "{message}"
    );
    assert_eq!(package.titles("name").len(), 2);
    let back = printed(&package.run("second", &["migrate", "--to", "1", "--yes"]));
    assert!(back.contains("took back V2__pages"), "{back}");
    assert_eq!(package.titles("title"), ["Emma", "Ulysses"]);
    assert!(printed(&package.run("second", &["migrate", "--to", "2"])).contains("applied V2__pages"));
}

/// MIG-1: options answer what is removed, what stays, and how values are converted.
#[test]
fn options_answer_what_is_removed_converted_and_kept() {
    let package = Package::with_books(&["12 chairs", "7 days"]);
    let question = refused(&package.run("third", &["make-migration", "subjects"]), 1);
    assert!(question.contains("--remove books.title"), "{question}");
    let remove = [
        "make-migration",
        "subjects",
        "--remove",
        "books.title",
        "--dry-run",
    ];
    assert!(printed(&package.run("third", &remove)).contains("subject"));

    let question = refused(&package.run("fourth", &["make-migration", "numbers"]), 1);
    assert!(question.contains("--convert"), "{question}");
    let convert = [
        "make-migration",
        "numbers",
        "--convert",
        "books.title=CAST(\"title\" AS INTEGER) * 100",
    ];
    printed(&package.run("fourth", &convert));
    package.migrate("fourth");
    assert_eq!(package.titles("title || '!'"), ["1200!", "700!"]);

    for table in ["search_log", "drafts"] {
        let file = format!("migrations/sqlite/V3__{table}.sql");
        let sql = format!("CREATE TABLE {table} (id INTEGER PRIMARY KEY) STRICT;");
        fs::write(package.folder().join(&file), sql).unwrap();
        let made = |arguments: &[&str]| {
            let arguments = [&["make-migration", "later", "--dry-run"], arguments].concat();
            printed(&package.run("fourth", &arguments))
        };
        let is_kept = table == "search_log";
        assert_eq!(made(&[]).contains("nothing changed"), is_kept, "{}", made(&[]));
        assert!(made(&["--keep", table]).contains("nothing changed"));
        fs::remove_file(package.folder().join(&file)).unwrap();
    }
}

/// MIG-3: `--status`, `--dry-run` and `--check` report without a change.
#[test]
fn migrations_are_reported_without_a_change() {
    let package = Package::new(&["migrations/sqlite"]);
    printed(&package.run("first", &["make-migration", "books"]));
    let status = printed(&package.run("first", &["migrate", "--status"]));
    assert!(
        status.contains("VERSION  NAME   APPLIED\n1        books  pending\n"),
        "{status}"
    );
    let plan = printed(&package.run("first", &["migrate", "--dry-run"]));
    assert!(plan.contains("-- V1__books\nCREATE TABLE \"books\""), "{plan}");
    let message = refused(&package.run("first", &["migrate", "--check"]), 1);
    for part in [
        "there is no database my-library.db: ",
        "migrations are pending: V1__books",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(!package.has("my-library.db"));
    package.execute("CREATE TABLE other (id INTEGER)");
    let message = refused(&package.run("first", &["migrate", "--check"]), 1);
    assert!(message.contains("migrations are pending: V1__books"), "{message}");
    assert!(!message.contains("there is no database"), "{message}");
    printed(&package.run("first", &["migrate"]));
    let status = printed(&package.run("first", &["migrate", "--status"]));
    assert!(status.contains("1        books  20"), "{status}");
    printed(&package.run("first", &["migrate", "--check"]));
    let message = refused(&package.run("second", &["migrate", "--check"]), 1);
    for part in ["books", "title", "`my-library make-migration NAME`"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// MIG-3: no command that changes nothing creates the file of a database.
#[test]
fn a_missing_database_is_not_created_by_a_command_that_changes_nothing() {
    let package = Package::new(&["migrations/sqlite"]);
    printed(&package.run("first", &["make-migration", "books"]));
    for arguments in [
        &["migrate", "--check"][..],
        &["serve", "--no-migrate"],
        &["explain", "/books"],
    ] {
        let message = refused(&package.run("first", arguments), 1);
        assert!(
            message.contains("there is no database my-library.db"),
            "{message}"
        );
        assert!(!package.has("my-library.db"), "{arguments:?}");
    }
    for arguments in [["migrate", "--status"], ["migrate", "--dry-run"]] {
        assert!(printed(&package.run("first", &arguments)).contains("books"));
        assert!(!package.has("my-library.db"), "{arguments:?}");
    }
}

/// MIG-1: only databases with a folder get files, and the source file is touched, so that cargo builds it again.
#[test]
fn files_are_written_for_the_databases_that_have_a_folder() {
    let package = Package::new(&["migrations/sqlite"]);
    let source = package.0.path().join("main.rs");
    let old = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options()
        .append(true)
        .open(&source)
        .unwrap()
        .set_modified(old)
        .unwrap();
    printed(&package.run("first", &["make-migration", "books"]));
    assert!(package.has("migrations/sqlite/V1__books.sql") && !package.has("migrations/postgres"));
    let modified = fs::metadata(&source).unwrap().modified().unwrap();
    assert!(modified > old + Duration::from_secs(60));
    let empty = printed(&package.run("first", &["make-migration", "slugs", "--empty"]));
    assert!(empty.contains("V2__slugs.down.sql"), "{empty}");
    assert!(
        package
            .read("migrations/sqlite/V2__slugs.sql")
            .starts_with("-- Statements for SQLite")
    );
    assert!(!package.has("migrations/sqlite/V2__slugs.down.sql"));
    let words = printed(&package.run(
        "first",
        &["make-migration", "Two other-words", "--empty", "--dry-run"],
    ));
    assert!(words.contains("V3__two_other_words.sql"), "{words}");
    let message = refused(&package.run("first", &["make-migration", "a/b"]), 1);
    assert!(message.contains("small letters"), "{message}");
}

/// MIG-4: files with wrong names stop every command that uses the database, with the remedy.
#[test]
fn files_with_wrong_names_are_rejected() {
    let package = Package::new(&["migrations/sqlite"]);
    fs::write(
        package.0.path().join(Path::new("migrations/sqlite/1_books.sql")),
        "",
    )
    .unwrap();
    let message = refused(&package.run("first", &["migrate"]), 1);
    assert!(
        message.contains("1_books.sql") && message.contains("V3__tags.sql"),
        "{message}"
    );
}
