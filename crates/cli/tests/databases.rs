//! One application with any choice of databases.
//!
//! `cargo xtask test` compiles and runs this with each database alone.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use model_resource::store::{EmbeddedMigrations, StoreError};
use model_resource::{Api, Draft, Migrations, Model, SqlDialect, model_resource};
use model_resource_cli::{Manage, OpenDatabase};

#[derive(Debug, Clone, Model)]
#[model(table = "managed_books")]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(unique, min_length = 1)]
    title: String,
}

#[model_resource(Book, "/books", "/books/<int:id>")]
struct BookResource;

/// Adds a book
#[derive(Args)]
struct AddBook {
    /// The title of the book
    #[arg(long)]
    title: String,
}

async fn add_book(database: OpenDatabase, add: AddBook) -> Result<(), StoreError> {
    let book = Draft::new().with(Book::TITLE, add.title);
    let book = database.store.create(book).await?;
    println!("{:?} is added", book.title);
    Ok(())
}

/// Returns the application, which has migrations if the current folder has any.
fn application() -> Manage {
    let manage = Manage::new("library", || Api::new("library").model_resource::<BookResource>())
        .database_command("add-book", add_book);
    if !Path::new(MIGRATIONS).is_dir() {
        return manage;
    }
    manage.migrations(Migrations::embedded(EmbeddedMigrations {
        package: ".",
        folder: MIGRATIONS,
        caller: "main.rs",
        is_read_at_start: true,
        files: &[],
    }))
}

/// Folder of the migrations.
const MIGRATIONS: &str = "migrations";

/// Environment variable with the arguments of the program.
const ARGUMENTS: &str = "TEST_PROGRAM_ARGUMENTS";

/// The program that the other tests start, since a process runs one command.
#[tokio::test]
#[ignore = "the other tests start it"]
async fn program() {
    let arguments = std::env::var(ARGUMENTS).expect("started by another test");
    let code = application().run_from(arguments.split('\n')).await;
    std::process::exit(i32::from(code != ExitCode::SUCCESS));
}

/// Runs the program in a folder.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["program", "--exact", "--ignored", "--nocapture"])
        .env(ARGUMENTS, [&["library"], arguments].concat().join("\n"))
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Returns the standard output of a successful run.
#[track_caller]
fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the error of a run that failed.
#[track_caller]
fn failure(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the URLs of the databases that are compiled in. PostgreSQL is tested if there is a server for tests.
fn databases() -> Vec<String> {
    let mut urls = Vec::new();
    if cfg!(feature = "sqlite") {
        urls.push("sqlite:library.db".to_owned());
    }
    if cfg!(feature = "postgres") {
        match std::env::var("TEST_POSTGRES_URL") {
            Ok(url) => urls.push(url),
            Err(_) => {
                eprintln!(
                    "NOT TESTED: TEST_POSTGRES_URL names no server; run this by `cargo xtask postgres`"
                );
            }
        }
    }
    urls
}

/// CLI-2
#[test]
fn commands_work_on_every_database_that_is_compiled_in() {
    let folder = tempfile::tempdir().unwrap();
    // Other runs may use the same PostgreSQL database.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let title = format!("Emma {} {}", std::process::id(), now.as_nanos());
    for url in databases() {
        let add = ["add-book", "--title", &title, "--database", &url];
        assert!(printed(&run(folder.path(), &add)).contains(&format!("{title:?} is added")));
        let twice = failure(&run(folder.path(), &add));
        assert!(twice.contains("is already taken"), "{twice}");
        let explain = ["explain", "/books?sort=title", "--database", &url];
        let plan = printed(&run(folder.path(), &explain));
        assert!(plan.contains("managed_books"), "{plan}");
    }
}

/// CLI-2
#[test]
fn commands_without_a_database_work_with_any_choice() {
    let folder = tempfile::tempdir().unwrap();
    for (command, expected) in [
        ("config", "listen = "),
        ("openapi", "\"/books\""),
        ("routes", "/books/<int:id>"),
        ("schema", "managed_books"),
    ] {
        let text = printed(&run(folder.path(), &[command]));
        assert!(text.contains(expected), "{command}: {text}");
    }
    for (dialect, key) in [
        ("sqlite", "INTEGER PRIMARY KEY AUTOINCREMENT"),
        ("postgres", "bigint GENERATED BY DEFAULT AS IDENTITY"),
    ] {
        let text = printed(&run(folder.path(), &["schema", "--dialect", dialect]));
        assert!(text.contains(key), "{text}");
    }
}

/// MIG-1: a new folder gets those of the databases that are compiled in.
#[test]
fn the_first_migration_is_for_the_databases_that_are_compiled_in() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join(MIGRATIONS)).unwrap();
    printed(&run(place.path(), &["make-migration", "books"]));
    for dialect in SqlDialect::ALL {
        let file = place
            .path()
            .join(MIGRATIONS)
            .join(dialect.name())
            .join("V1__books.sql");
        assert_eq!(
            file.exists(),
            SqlDialect::COMPILED_IN.contains(&dialect),
            "{dialect}"
        );
    }
}

/// MIG-1, MIG-3: a folder of PostgreSQL that is created later gets all tables, under the next version of both databases,
/// in every program with SQLite.
#[cfg(feature = "sqlite")]
#[test]
fn a_folder_of_another_database_is_written_and_checked() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join(MIGRATIONS);
    fs::create_dir_all(folder.join("sqlite")).unwrap();
    printed(&run(place.path(), &["make-migration", "books"]));
    printed(&run(place.path(), &["migrate"]));
    fs::create_dir(folder.join("postgres")).unwrap();
    let message = failure(&run(place.path(), &["migrate", "--check"]));
    assert!(
        message.contains("the migrations for PostgreSQL do not lead"),
        "{message}"
    );
    let made = printed(&run(place.path(), &["make-migration", "adopt-postgres"]));
    assert!(made.contains("PostgreSQL: create table"), "{made}");
    assert!(!folder.join("sqlite/V2__adopt_postgres.sql").exists());
    let sql = fs::read_to_string(folder.join("postgres/V2__adopt_postgres.sql")).unwrap();
    assert!(sql.contains("GENERATED BY DEFAULT AS IDENTITY"), "{sql}");
    printed(&run(place.path(), &["migrate", "--check"]));
    printed(&run(place.path(), &["make-migration", "by-hand", "--empty"]));
    for dialect in SqlDialect::ALL {
        let file = folder.join(dialect.name()).join("V3__by_hand.sql");
        assert!(file.exists(), "{dialect}");
    }
}

/// MIG-1: a program without SQLite leaves out its migrations, and says so.
#[cfg(not(feature = "sqlite"))]
#[test]
fn migrations_of_sqlite_are_left_out_without_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join(MIGRATIONS);
    fs::create_dir_all(folder.join("sqlite")).unwrap();
    let message = failure(&run(place.path(), &["make-migration", "books"]));
    assert!(message.contains("with the feature `sqlite`"), "{message}");
    fs::write(
        folder.join("sqlite/V1__books.sql"),
        "CREATE TABLE books (id INTEGER);",
    )
    .unwrap();
    fs::create_dir(folder.join("postgres")).unwrap();
    let made = run(place.path(), &["make-migration", "books"]);
    let note = String::from_utf8_lossy(&made.stderr);
    assert!(note.contains("migrations/sqlite is left out"), "{note}");
    assert!(
        printed(&made).contains("migrations/postgres/V2__books.sql"),
        "{made:?}"
    );
    assert!(!folder.join("sqlite/V2__books.sql").exists());
    printed(&run(place.path(), &["make-migration", "by-hand", "--empty"]));
    assert!(folder.join("sqlite/V3__by_hand.sql").exists());
}

/// CLI-2
#[cfg(not(all(feature = "sqlite", feature = "postgres")))]
#[test]
fn a_database_that_is_not_compiled_in_is_refused_with_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    let url = if cfg!(feature = "sqlite") {
        "postgres://nobody@127.0.0.1:1/library"
    } else {
        "sqlite:library.db"
    };
    let add = ["add-book", "--title", "Emma", "--database", url];
    let message = failure(&run(folder.path(), &add));
    assert!(message.contains("features `sqlite` and `postgres`"), "{message}");
}
