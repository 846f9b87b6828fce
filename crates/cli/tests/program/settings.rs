//! Names of settings, and settings of the application.

use tempfile::TempDir;

use crate::library::{manage, plain, printed, refused, run, run_with};

/// CLI-1: the names of environment variables, of the file and of the database are derived from that of the program.
#[test]
fn names_of_settings_are_derived_from_that_of_the_program() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("my-library.toml"), "grace_period = 7\n").unwrap();
    let environment = [
        ("MY_LIBRARY_LISTEN", "127.0.0.1:2"),
        ("OTHER_LISTEN", "127.0.0.1:3"),
    ];
    let text = printed(&run_with(folder.path(), &["config"], &environment, ""));
    for line in [
        "listen = \"127.0.0.1:2\"  # MY_LIBRARY_LISTEN",
        "grace_period = \"7\"  # my-library.toml",
        "database = \"sqlite:my-library.db\"  # default",
    ] {
        assert!(text.contains(line), "no {line:?} in\n{text}");
    }
    let misspelt = run_with(folder.path(), &["config"], &[("MY_LIBRARY_LISTN", "x")], "");
    assert_eq!(
        refused(&misspelt, 1),
        "my-library: environment: there is no setting `MY_LIBRARY_LISTN`: did you mean `MY_LIBRARY_LISTEN`?\n"
    );
    assert!(printed(&run(folder.path(), &["--version"])).contains("my-library 1.2.3"));
}

/// CLI-1: an application chooses other names.
#[test]
fn an_application_chooses_the_names_of_its_settings() {
    let manage = plain()
        .environment_prefix("LIB_")
        .settings_file("lib.conf")
        .default_database("sqlite:lib.sqlite");
    let help = manage.command_line().render_long_help().to_string();
    for text in ["LIB_LISTEN", "`lib.conf`", "[default: sqlite:lib.sqlite]"] {
        assert!(help.contains(text), "no {text} in {help}");
    }
    assert!(!help.contains("MY_LIBRARY_"), "{help}");
}

/// CLI-7: options of the application with an environment variable are settings, too.
#[test]
fn options_of_the_application_are_settings() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("my-library.toml"), "title = \"Persuasion\"\n").unwrap();
    assert!(printed(&run(folder.path(), &["add-book"])).contains("\"Persuasion\" is added"));
    let environment = [("MY_LIBRARY_TITLE", "Emma")];
    let added = run_with(folder.path(), &["add-book"], &environment, "");
    assert!(printed(&added).contains("\"Emma\" is added"));
}

/// CLI-7: an application changes the help and the default of a setting wherever the setting is an option.
#[test]
fn an_application_changes_the_help_and_the_default_of_a_setting() {
    let changed = manage()
        .setting_default("listen", "127.0.0.1:9000")
        .setting_help("listen", "Where to listen");
    let mut command = changed.command_line();
    let help = [
        command.render_help().to_string(),
        command
            .find_subcommand_mut("serve")
            .unwrap()
            .render_help()
            .to_string(),
    ];
    for help in help {
        assert!(help.contains("Where to listen"), "{help}");
        assert!(help.contains("[default: 127.0.0.1:9000]"), "{help}");
    }
}
