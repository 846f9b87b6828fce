//! Accounts from the command line.

use tempfile::TempDir;

use clap::Command;
use model_resource::{Field, Model};
use model_resource_security::{Account, Security};

use crate::library::{manage, plain, printed, refused, run, run_with};

/// An account without roles, which cannot be disabled.
#[derive(Debug, Clone, Model)]
struct Guest {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    card_number: String,
    #[column(hidden)]
    secret: String,
}

impl Account for Guest {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[Guest::CARD_NUMBER];
    const PASSWORD_HASH: Field<Self, String> = Guest::SECRET;
}

fn names(command: &Command) -> Vec<&str> {
    command.get_subcommands().map(Command::get_name).collect()
}

/// CLI-8: the commands for accounts, and the options of `user create`, follow from the columns of the account.
#[test]
fn the_commands_for_accounts_are_those_that_its_columns_allow() {
    let guests = plain().accounts(Security::<Guest>::new).command_line();
    let guest = guests.find_subcommand("user").unwrap();
    assert_eq!(names(guest), ["create", "set-password"]);
    let create = guest.find_subcommand("create").unwrap();
    assert!(
        create
            .get_arguments()
            .any(|option| option.get_long() == Some("card-number"))
    );
    let members = manage().command_line();
    let member = members.find_subcommand("user").unwrap();
    let all = ["create", "set-password", "disable", "enable", "grant", "revoke"];
    assert_eq!(names(member), all);
    let create = member.find_subcommand("create").unwrap();
    let born_on = create
        .get_arguments()
        .find(|option| option.get_long() == Some("born-on"));
    let help = born_on.unwrap().get_help().unwrap().to_string();
    assert_eq!(help, "The birthday of the member");
}

/// CLI-8: an account is created with a password from standard input, and changed by its name.
#[test]
fn an_account_is_created_and_changed() {
    let folder = TempDir::new().unwrap();
    let create = [
        "user",
        "create",
        "--name",
        "ann",
        "--born-on",
        "2000-02-29",
        "--role",
        "admin",
    ];
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
    let wrong = run(
        folder.path(),
        &["user", "create", "--name", " ", "--born-on", "today"],
    );
    let message = refused(&wrong, 1);
    assert!(message.contains("Must consist of letters"), "{message}");
    assert!(message.contains("bornOn"), "{message}");
    assert!(message.contains("length 2"), "{message}");
    let weak = run_with(
        folder.path(),
        &["user", "create", "--name", "ann", "--born-on", "2000-02-29"],
        &[],
        "short\n",
    );
    assert_eq!(
        refused(&weak, 1),
        "my-library: the password on standard input: Length must be between 8 and 128.\n"
    );
    let unknown = run(
        folder.path(),
        &[
            "user",
            "create",
            "--name",
            "ann",
            "--born-on",
            "2000-02-29",
            "--role",
            "amdin",
        ],
    );
    assert!(refused(&unknown, 2).contains("[possible values: admin]"));
    let missing = run(folder.path(), &["user", "disable", "ann"]);
    assert_eq!(refused(&missing, 1), "my-library: there is no user \"ann\"\n");
}
