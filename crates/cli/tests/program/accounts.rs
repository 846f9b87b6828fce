//! Accounts from the command line.

use tempfile::TempDir;

use crate::library::{Member, members, plain, printed, refused, run, run_with};

/// CLI-8: the commands for accounts are those that the application supports.
#[test]
fn the_commands_for_accounts_are_those_that_the_application_supports() {
    let manage = plain().accounts(members().active(Member::IS_ACTIVE));
    let command = manage.command_line();
    let user = command.find_subcommand("user").unwrap();
    let names: Vec<_> = user.get_subcommands().map(|command| command.get_name()).collect();
    assert_eq!(names, ["disable", "enable"]);
}

/// CLI-8: an account is created with a password from standard input, and changed by its name.
#[test]
fn an_account_is_created_and_changed() {
    let folder = TempDir::new().unwrap();
    let create = ["user", "create", "--name", "ann", "--role", "admin"];
    let created = run_with(folder.path(), &create, &[], "correct horse\n");
    assert!(printed(&created).contains("ann is created with the key 1"));
    assert!(printed(&run(folder.path(), &["user", "disable", "ann"])).contains("ann is disabled"));
    let explained = run(folder.path(), &["explain", "/api/v1/books", "--user", "ann"]);
    assert_eq!(
        refused(&explained, 1),
        "my-library: ann is disabled and gets no list\n"
    );
    assert!(printed(&run(folder.path(), &["user", "enable", "ann"])).contains("ann is enabled"));
    let explained = run(folder.path(), &["explain", "/api/v1/books", "--user", "ann"]);
    assert!(printed(&explained).contains("books"));
    let missing = run(folder.path(), &["user", "disable", "bob"]);
    assert_eq!(refused(&missing, 1), "my-library: there is no user \"bob\"\n");
}

/// CLI-8: errors of the columns and of the application are reported together, before a password is read.
#[test]
fn wrong_names_and_weak_passwords_are_refused() {
    let folder = TempDir::new().unwrap();
    let wrong = run(folder.path(), &["user", "create", "--name", " "]);
    let message = refused(&wrong, 1);
    assert!(message.contains("Must not contain spaces."), "{message}");
    assert!(message.contains("length 2"), "{message}");
    let weak = run_with(
        folder.path(),
        &["user", "create", "--name", "ann"],
        &[],
        "short\n",
    );
    assert_eq!(
        refused(&weak, 1),
        "my-library: the password on standard input: Shorter than the minimum length 8.\n"
    );
    let unknown = run(
        folder.path(),
        &["user", "create", "--name", "ann", "--role", "amdin"],
    );
    assert!(refused(&unknown, 2).contains("[possible values: admin]"));
    let missing = run(folder.path(), &["user", "disable", "ann"]);
    assert_eq!(refused(&missing, 1), "my-library: there is no user \"ann\"\n");
}
