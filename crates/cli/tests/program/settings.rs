//! Names of settings, and settings of the application.

use axum::body::Body;
use http::{Request, StatusCode};
use model_resource::{Api, Model, QuerySyntax, model_resource};
use model_resource_cli::{Manage, Settings};
use tempfile::TempDir;
use tower::ServiceExt as _;

use crate::library::{manage, plain, printed, refused, run, run_with};

#[derive(Debug, Clone, Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
}

#[model_resource(Note, "/notes")]
struct NoteResource;

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

/// CLI-1: the variables of a service of Kubernetes with the name of the program are no settings.
#[test]
fn variables_of_a_service_of_the_same_name_are_ignored() {
    let folder = TempDir::new().unwrap();
    let links = [
        ("MY_LIBRARY_SERVICE_HOST", "10.0.0.7"),
        ("MY_LIBRARY_SERVICE_PORT_HTTP", "80"),
        ("MY_LIBRARY_PORT", "tcp://10.0.0.7:80"),
        ("MY_LIBRARY_PORT_80_TCP_ADDR", "10.0.0.7"),
        ("MY_LIBRARY_DB_SERVICE_HOST", "10.0.0.8"),
    ];
    printed(&run_with(folder.path(), &["config"], &links, ""));
    let port = run_with(folder.path(), &["config"], &[("MY_LIBRARY_PORT", "80")], "");
    assert!(refused(&port, 1).contains("no setting `MY_LIBRARY_PORT`"));
}

/// CLI-1: settings that are not given leave the api as it is.
#[tokio::test]
async fn settings_that_are_not_given_are_those_of_the_api() {
    let manage = Manage::new("notes", || {
        Api::new("notes")
            .model_resource::<NoteResource>()
            .query_syntax(QuerySyntax::SimpleRest)
    });
    let status = async |settings: Settings| {
        let store = manage.open("sqlite::memory:").await.unwrap();
        let request = Request::get("/notes?range=%5B0,9%5D").header("host", "localhost");
        let service = manage.service(store, &settings);
        let response = service.oneshot(request.body(Body::empty()).unwrap()).await;
        response.unwrap().status()
    };
    assert_eq!(status(Settings::default()).await, StatusCode::OK);
    let native = Settings {
        query_syntax: Some(QuerySyntax::Native),
        ..Settings::default()
    };
    assert_eq!(status(native).await, StatusCode::BAD_REQUEST);
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

/// LOAD-80: neither a wrong secret nor a line of the file with a mistake is repeated, and the help shows no secret of the
/// file.
#[test]
fn secrets_are_not_repeated_by_errors_and_help() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("my-library.toml");
    let short = [("MY_LIBRARY_CURSOR_SECRET", "hunter2")];
    let message = refused(&run_with(folder.path(), &["serve"], &short, ""), 2);
    assert!(
        message.contains("MY_LIBRARY_CURSOR_SECRET") && message.contains("at least 16 characters"),
        "{message}"
    );
    assert!(!message.contains("hunter2"), "{message}");
    std::fs::write(
        &file,
        "grace_period = 1\ndatabase = \"postgres://app:secretpw@host/db\n",
    )
    .unwrap();
    let message = refused(&run(folder.path(), &["config"]), 1);
    assert!(message.contains("my-library.toml: line 2, column"), "{message}");
    assert!(!message.contains("secretpw"), "{message}");
    std::fs::write(
        &file,
        "cursor_secret = \"0123456789abcdef\"\ndatabase = \"sqlite:hidden.db\"\n",
    )
    .unwrap();
    for arguments in [&["--help"][..], &["serve", "--help"]] {
        let help = printed(&run(folder.path(), arguments));
        assert!(
            !help.contains("0123456789abcdef") && !help.contains("hidden.db"),
            "{help}"
        );
    }
}

/// LOAD-47: an error names the place of a wrong value.
#[test]
fn an_error_names_the_place_of_a_wrong_value() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("my-library.toml"), "listen = \"here\"\n").unwrap();
    let message = |arguments: &[&str], environment: &[(&str, &str)]| {
        refused(&run_with(folder.path(), arguments, environment, ""), 2)
    };
    let of_file = message(&["serve"], &[]);
    assert!(
        of_file.contains("invalid value 'here' for 'listen, in my-library.toml'"),
        "{of_file}"
    );
    let of_variable = message(&["serve"], &[("MY_LIBRARY_LISTEN", "there")]);
    assert!(
        of_variable.contains("invalid value 'there' for 'MY_LIBRARY_LISTEN'"),
        "{of_variable}"
    );
    let of_argument = message(
        &["serve", "--listen", "nowhere"],
        &[("MY_LIBRARY_LISTEN", "there")],
    );
    assert!(
        of_argument.contains("invalid value 'nowhere' for '--listen <LISTEN>'"),
        "{of_argument}"
    );
    let maybe = [
        ("MY_LIBRARY_LISTEN", "127.0.0.1:0"),
        ("MY_LIBRARY_NO_MIGRATE", "maybe"),
    ];
    assert!(message(&["serve"], &maybe).contains("'MY_LIBRARY_NO_MIGRATE'"));
}
