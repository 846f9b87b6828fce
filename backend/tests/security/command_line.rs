//! `backend user`: accounts from the command line.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::json;
use test_support::TestDatabase;

use crate::browser::{USERS, is_known};
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

/// Runs the program on a database with this standard input.
fn backend(database: &TestDatabase, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_backend"))
        .arg("user")
        .args(arguments)
        .args(["--database", &database.url()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that needs no password may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[track_caller]
fn done(output: Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn refused(output: Output) -> String {
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

/// SEC-23: the command line creates an admin, with a password that is in no argument.
#[tokio::test]
async fn an_admin_is_created_with_a_password_from_standard_input() {
    let app = BackendApp::start().await;
    let database = app.database();
    let create = [
        "create",
        "--email",
        "Root@Example.com",
        "--username",
        "Root",
        "--role",
        "admin",
    ];
    done(backend(&database, &create, "correct horse\n"));
    let login = json!({"email": "root", "password": "correct horse"});
    let login = app.anonymous.post(LOGIN, login).await.expect(200).json();
    let root = app.anonymous.with_token(login["token"].as_str().unwrap());
    root.get(USERS).await.expect(200);

    let before = database.rows();
    assert!(refused(backend(&database, &create, "correct horse\n")).contains("Email is already taken."));
    let other = ["create", "--email", "a@example.com", "--username", "other"];
    assert!(refused(backend(&database, &other, "short\n")).contains("between 8 and 128"));
    assert!(refused(backend(&database, &other, "")).contains("standard input"));
    let wrong = ["create", "--email", "nobody", "--username", "a b"];
    let stderr = refused(backend(&database, &wrong, "correct horse\n"));
    assert!(
        stderr.contains("email") && stderr.contains("username"),
        "{stderr}"
    );
    let arguments = [
        "create",
        "--email",
        "a@example.com",
        "--username",
        "other",
        "--password",
        "x",
    ];
    assert!(refused(backend(&database, &arguments, "correct horse\n")).contains("--password"));
    assert_eq!(database.rows(), before);
}

/// SEC-23: a role that no policy uses, such as a misspelt one, cannot be granted.
#[tokio::test]
async fn only_roles_of_the_policies_can_be_granted() {
    let app = BackendApp::start().await;
    let database = app.database();
    app.user("ann").await;
    let before = database.rows();
    for role in ["amdin", "Admin", "editor", "a b", ""] {
        let stderr = refused(backend(&database, &["grant", "ann", "--role", role], ""));
        assert!(stderr.contains("[possible values: admin]"), "{stderr}");
        let create = [
            "create",
            "--email",
            "a@example.com",
            "--username",
            "amy",
            "--role",
            role,
        ];
        let stderr = refused(backend(&database, &create, "correct horse\n"));
        assert!(stderr.contains("[possible values: admin]"), "{stderr}");
    }
    assert_eq!(database.rows(), before);
}

/// SEC-20, SEC-23: changes by the command line apply to the server's next request.
#[tokio::test]
async fn roles_passwords_and_disabling_apply_to_the_next_request() {
    let app = BackendApp::start().await;
    let database = app.database();
    let (_, ann) = app.user("ann").await;
    ann.get(USERS).await.expect(403);
    // A former role that no policy uses any more.
    app.grant("ann", "editor");
    let roles = || database.value::<String>("SELECT roles FROM users WHERE username = 'ann'");
    for name in ["ann", "ann@example.com"] {
        done(backend(&database, &["grant", name, "--role", "admin"], ""));
        ann.get(USERS).await.expect(200);
        assert_eq!(roles(), "editor admin");
    }
    done(backend(&database, &["revoke", "ANN", "--role", "admin"], ""));
    ann.get(USERS).await.expect(403);
    done(backend(&database, &["revoke", "ann", "--role", "editor"], ""));
    assert_eq!(roles(), "");

    done(backend(&database, &["set-password", "ann"], "another horse\r\n"));
    assert!(!is_known(&ann).await);
    let login = |password: &str| json!({"email": "ann", "password": password});
    app.anonymous
        .post(LOGIN, login("correct horse"))
        .await
        .expect(401);
    let again = app
        .anonymous
        .post(LOGIN, login("another horse"))
        .await
        .expect(200)
        .json();
    let again = app.anonymous.with_token(again["token"].as_str().unwrap());

    done(backend(&database, &["disable", "ann"], ""));
    assert!(!is_known(&again).await);
    app.anonymous
        .post(LOGIN, login("another horse"))
        .await
        .expect(401);
    done(backend(&database, &["enable", "ann"], ""));
    app.anonymous
        .post(LOGIN, login("another horse"))
        .await
        .expect(200);
    let stderr = refused(backend(&database, &["disable", "nobody"], ""));
    assert!(stderr.contains("there is no user \"nobody\""), "{stderr}");
}

/// SEC-20: disabling a user and setting a password are atomic: if a credential cannot be revoked, nothing changes.
#[tokio::test]
async fn disabling_and_setting_a_password_are_atomic() {
    let app = BackendApp::start().await;
    let database = app.database();
    let (id, ann) = app.user("ann").await;
    // A row that prevents the deletion of a token.
    database
        .execute("CREATE TABLE pins (id BIGINT PRIMARY KEY, token_id BIGINT REFERENCES auth_tokens (id))");
    let pin = format!("INSERT INTO pins SELECT id, id FROM auth_tokens WHERE user_key = '{id}'");
    database.execute(&pin);
    let before = database.rows();
    app.post(&format!("{USERS}/{id}/disable"), json!({}))
        .await
        .expect(409);
    refused(backend(&database, &["disable", "ann"], ""));
    refused(backend(&database, &["set-password", "ann"], "another horse\n"));
    assert_eq!(database.rows(), before);
    assert!(is_known(&ann).await);
}
