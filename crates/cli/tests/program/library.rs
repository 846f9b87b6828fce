//! An application with books and members.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use clap::Args;
use model_resource::store::StoreError;
use model_resource::{Api, Date, Draft, Field, Model, Result, model_resource};
use model_resource_audit::{Audit, AuditError, Fixture};
use model_resource_cli::{Failure, Manage, OpenDatabase};
use model_resource_security::{Account, Roles, Security};

/// Environment variable with the arguments of the program.
pub(crate) const ARGUMENTS: &str = "TEST_PROGRAM_ARGUMENTS";
/// Environment variable of a program that waits for a line of input before it runs.
pub(crate) const WAITS: &str = "TEST_PROGRAM_WAITS";
/// Character between two arguments.
pub(crate) const SEPARATOR: char = '\u{1f}';

#[derive(Model)]
#[model(table = "books")]
pub(crate) struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1)]
    title: String,
}

#[model_resource(Book, "/books", "/books/<int:id>")]
struct BookResource;

#[derive(Debug, Clone, Model)]
#[model(table = "members")]
pub(crate) struct Member {
    #[column(primary_key)]
    id: i64,
    #[column(unique, min_length = 2)]
    pub(crate) name: String,
    /// The birthday of the member. Nobody else sees it.
    born_on: Date,
    #[column(hidden)]
    password_hash: String,
    #[column(hidden, default = true)]
    is_active: bool,
    #[column(hidden, default = "")]
    pub(crate) roles: String,
}

impl Account for Member {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
    const PASSWORD_HASH: Field<Self, String> = Member::PASSWORD_HASH;
    const ACTIVE: Option<Field<Self, bool>> = Some(Member::IS_ACTIVE);
    const ROLES: Roles<Self> = Roles::words(Member::ROLES).known(&["admin"]);
}

/// Adds a book
#[derive(Args)]
struct AddBook {
    /// The title of the book
    #[arg(long, env = "TITLE", default_value = "Untitled")]
    title: String,
}

async fn add_book(database: OpenDatabase, add: AddBook) -> Result<(), StoreError> {
    let book = database
        .store
        .create(Draft::new().with(Book::TITLE, add.title))
        .await?;
    println!(
        "{:?} is added to {} with the key {}",
        book.title, database.name, book.id
    );
    Ok(())
}

/// Fails with a message
#[derive(Args)]
struct Fail {
    /// The message
    message: String,
}

async fn fail(fail: Fail) -> Result<(), Failure> {
    Err(fail.message.into())
}

/// Returns the application without accounts and commands.
pub(crate) fn plain() -> Manage {
    Manage::new("my-library", || {
        Api::new("library")
            .prefix("/api/v1")
            .model_resource::<BookResource>()
    })
}

/// Returns the application with routes of accounts.
pub(crate) fn with_account_routes() -> Manage {
    Manage::new("my-library", || {
        Api::new("library")
            .prefix("/api/v1")
            .model_resource::<BookResource>()
            .register(Security::<Member>::routes())
    })
    .accounts(Security::<Member>::new)
}

/// Adds a member with the role of administrators.
async fn callers(rows: Fixture) -> Result<(), AuditError> {
    let admin = Draft::new()
        .with(Member::NAME, "root")
        .with(Member::ROLES, "admin");
    let admin = rows.add(admin).await?;
    rows.log_in("admin", &Security::new(), &admin).await
}

/// Returns the command line of the application.
pub(crate) fn manage() -> Manage {
    plain()
        .version("1.2.3")
        .about("A library")
        .accounts(Security::<Member>::new)
        .audit(Audit::new().fixture(callers))
        .server(|server| server.max_headers(20))
        .database_command("add-book", add_book)
        .command("fail", fail)
}

/// Runs the program in a folder with this standard input.
pub(crate) fn run_with(
    folder: &Path,
    arguments: &[&str],
    environment: &[(&str, &str)],
    input: &str,
) -> Output {
    use std::io::Write;

    let mut child = command(folder, arguments)
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test program starts");
    // A program that reads no input may have ended already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the test program ends")
}

/// Runs the program in a folder.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    run_with(folder, arguments, &[], "")
}

/// Runs the program with an output that its reader has closed.
pub(crate) fn run_unread(folder: &Path, arguments: &[&str]) -> Output {
    use std::io::{BufRead, BufReader, Write};

    let mut child = command(folder, arguments)
        .env(WAITS, "true")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test program starts");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    // The program is a test, which announces itself.
    let mut lines = output.lines().map_while(std::io::Result::ok);
    assert!(lines.any(|line| line.starts_with("running 1 test")));
    drop(lines);
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(b"\n")
        .expect("the program reads");
    child.wait_with_output().expect("the test program ends")
}

/// Returns the program in a folder, which has not started.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let program = std::env::current_exe().expect("the test has a file");
    let arguments = [&["my-library"], arguments].concat();
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .args(["program", "--exact", "--ignored", "--nocapture"])
        .env(ARGUMENTS, arguments.join(&SEPARATOR.to_string()));
    command
}

/// Returns the output of a successful run.
#[track_caller]
pub(crate) fn printed(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the message of a run that failed with this exit status.
#[track_caller]
pub(crate) fn refused(output: &Output, status: i32) -> String {
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}
