//! Built-in commands, and commands of the application.

use clap::Args;
use model_resource_cli::Failure;
use tempfile::TempDir;

use crate::library::{manage, plain, printed, refused, run, run_unread};

fn names(manage: &model_resource_cli::Manage) -> Vec<String> {
    let command = manage.command_line();
    let names = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned());
    names.collect()
}

/// CLI-2: a command of the application gets its arguments and a database whose tables exist.
#[test]
fn a_command_of_the_application_runs_on_the_database() {
    let folder = TempDir::new().unwrap();
    let text = printed(&run(folder.path(), &["add-book", "--title", "Emma"]));
    assert!(
        text.contains("\"Emma\" is added to sqlite:my-library.db with the key 1"),
        "{text}"
    );
    let other = ["add-book", "--database", "sqlite:other.db"];
    assert!(printed(&run(folder.path(), &other)).contains("to sqlite:other.db with the key 1"));
    assert!(printed(&run(folder.path(), &["add-book"])).contains("with the key 2"));
}

/// CLI-2: the doc comment of a command's arguments is its help.
#[test]
fn the_help_of_a_command_is_the_doc_comment_of_its_arguments() {
    let command = manage().command_line();
    let about = |name: &str| {
        command
            .find_subcommand(name)
            .unwrap()
            .get_about()
            .unwrap()
            .to_string()
    };
    assert_eq!(about("add-book"), "Adds a book");
    assert_eq!(about("fail"), "Fails with a message");
    command.debug_assert();
}

/// CLI-3: a failure is printed after the name of the program and ends it with 1, a wrong argument with 2.
#[test]
fn a_failure_ends_the_program_with_one_and_a_wrong_argument_with_two() {
    let folder = TempDir::new().unwrap();
    let failed = run(folder.path(), &["fail", "no paper"]);
    assert_eq!(refused(&failed, 1), "my-library: no paper\n");
    let misspelt = refused(&run(folder.path(), &["add-bok"]), 2);
    assert!(misspelt.contains("add-book"), "{misspelt}");
}

#[derive(Args)]
struct Nothing {}

async fn nothing(_: Nothing) -> Result<(), Failure> {
    Ok(())
}

/// CLI-4: `migrate`, `user` and `seed` exist if the application has migrations, accounts and demo data. It can leave out
/// and replace commands.
#[test]
fn an_application_adds_replaces_and_leaves_out_commands() {
    let built_in = [
        "serve",
        "config",
        "routes",
        "openapi",
        "backup",
        "schema",
        "explain",
        "completions",
    ];
    assert_eq!(names(&plain()), built_in);
    let seeded = plain().seed(async |_, _: Nothing| Ok::<(), Failure>(()));
    assert!(names(&seeded).contains(&"seed".to_owned()));
    let changed = plain().without("backup").command("routes", nothing);
    let expected = [
        "serve",
        "config",
        "routes",
        "openapi",
        "schema",
        "explain",
        "completions",
    ];
    assert_eq!(names(&changed), expected);
    let about = changed
        .command_line()
        .find_subcommand("routes")
        .unwrap()
        .get_about()
        .cloned();
    assert!(
        about.is_none(),
        "the command of the application replaces the built-in one"
    );
}

/// CLI-5: the commands that inspect an application work without its database.
#[test]
fn routes_tables_and_documents_are_printed_without_a_database() {
    let folder = TempDir::new().unwrap();
    let routes = printed(&run(folder.path(), &["routes"]));
    assert!(routes.contains("/api/v1/books/<int:id>"), "{routes}");
    let schema = printed(&run(folder.path(), &["schema", "--dialect", "postgres"]));
    for table in ["books", "members", "auth_sessions", "auth_tokens"] {
        assert!(schema.contains(&format!("\"{table}\"")), "no {table} in {schema}");
    }
    let document = printed(&run(folder.path(), &["openapi", "--as", "admin"]));
    // Between the lines of the test runner.
    let (start, end) = (document.find('{').unwrap(), document.rfind('}').unwrap());
    let document: serde_json::Value = serde_json::from_str(&document[start..=end]).unwrap();
    assert!(document["paths"]["/api/v1/books"].is_object(), "{document}");
    assert_eq!(document["info"]["version"], "1.2.3", "the version of the program");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// CLI-6: the scripts of shells complete the commands of the application.
#[test]
fn the_scripts_of_shells_know_the_commands_of_the_application() {
    let folder = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&run(folder.path(), &["completions", shell]));
        assert!(
            script.contains("my-library") && script.contains("add-book"),
            "{script}"
        );
    }
}

/// CLI-9: a reader of the output may close it, such as `head`.
#[test]
fn a_command_whose_output_is_closed_ends_without_an_error() {
    let folder = TempDir::new().unwrap();
    // `explain` needs the tables.
    printed(&run(folder.path(), &["add-book"]));
    let explain = ["explain", "/api/v1/books"];
    for arguments in [&["schema"][..], &["config"], &["routes"], &["openapi"], &explain] {
        let ended = run_unread(folder.path(), arguments);
        assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{arguments:?}");
        assert!(ended.status.success(), "{arguments:?}");
    }
}
