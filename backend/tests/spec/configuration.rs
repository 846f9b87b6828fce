//! Operations: settings from a file, the environment and arguments, and the commands for migrations.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use model_resource::Timestamp;
use serde_json::json;
use tempfile::TempDir;
use test_support::{Process, TestDatabase};

use crate::serve;

/// Runs the program in a folder.
fn backend(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backend"))
        .current_dir(folder)
        .args(arguments)
        .envs(environment.iter().copied())
        .output()
        .unwrap()
}

/// Returns the output of a successful run.
fn printed(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the message of a failed run.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// LOAD-47: arguments come before the environment, the environment before the file, and `config` prints where each
/// setting comes from, without the password.
#[test]
fn arguments_come_before_the_environment_and_the_environment_before_the_file() {
    let folder = TempDir::new().unwrap();
    let file = "listen = \"127.0.0.1:1\"\ngrace_period = 7\nlog_format = \"json\"\nsecure_cookies = true\n\
                cors_origins = [\"https://a.example\", \"https://b.example\"]\n";
    std::fs::write(folder.path().join("backend.toml"), file).unwrap();
    let environment = [
        ("BACKEND_DATABASE", "postgres://ann:my-secret@host/db"),
        ("BACKEND_LISTEN", "127.0.0.1:2"),
        ("BACKEND_GRACE_PERIOD", "8"),
    ];
    let output = backend(
        folder.path(),
        &["config", "--listen", "127.0.0.1:3"],
        &environment,
    );
    let text = printed(&output);
    for line in [
        "database = \"postgres://ann@host/db\"  # BACKEND_DATABASE",
        "listen = \"127.0.0.1:3\"  # argument",
        "grace_period = \"8\"  # BACKEND_GRACE_PERIOD",
        "log_format = \"json\"  # backend.toml",
        "secure_cookies = \"true\"  # backend.toml",
        "cors_origins = \"https://a.example,https://b.example\"  # backend.toml",
        "slow_statement_ms = \"500\"  # default",
        "# query_budget is not set: 20,000,000 by default",
        "# query_syntax is not set: that of the application by default, or `native`",
        "# metrics_listen is not set: not served by default",
    ] {
        assert!(
            text.lines().any(|printed| printed == line),
            "no {line:?} in\n{text}"
        );
    }
    assert!(!text.contains("my-secret"));
}

/// LOAD-47: `--config` names another file, whose settings the server uses.
#[tokio::test]
async fn a_server_uses_the_settings_of_its_file() {
    let folder = TempDir::new().unwrap();
    let database = TestDatabase::create();
    let file = folder.path().join("other.toml");
    let text = format!("database = {:?}\nlisten = \"127.0.0.1:0\"\n", database.url());
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
    let process = Process::start(command.arg("serve").arg("--config").arg(&file));
    process.client.get("/api/v1/tags").await.expect(200);
    let missing = backend(folder.path(), &["config", "--config", "missing.toml"], &[]);
    assert!(refused(&missing).contains("cannot read missing.toml"));
}

/// IDM-8: the response to a request with a key is stored for as many hours as the setting says.
#[tokio::test]
async fn responses_to_keys_are_stored_for_the_hours_of_the_setting() {
    let database = TestDatabase::create();
    let mut command = serve::command(&database.url());
    let process = Process::start(command.args(["--idempotency-key-hours", "100"]));
    let submission = json!({"name": "Ann", "email": "ann@example.com", "message": "Hello, here I am."});
    let client = process.client.with_header("idempotency-key", "1");
    let created = client
        .post(
            "/api/v1/contact-submissions",
            json!({ "contactSubmission": submission }),
        )
        .await;
    created.expect(201);
    let expires: i64 = database.value("SELECT expires FROM model_resource_responses");
    let seconds = expires - Timestamp::now().as_second();
    assert!((359_000..=360_000).contains(&seconds), "{seconds}");
}

/// LOAD-48: unknown settings are refused with the most similar name, and so are invalid values.
#[test]
fn unknown_settings_are_refused_with_the_most_similar_name() {
    let folder = TempDir::new().unwrap();
    let misspelt = backend(folder.path(), &["config"], &[("BACKEND_DATBASE", "x")]);
    assert_eq!(
        refused(&misspelt),
        "backend: environment: there is no setting `BACKEND_DATBASE`: did you mean `BACKEND_DATABASE`?\n"
    );
    let file = folder.path().join("backend.toml");
    std::fs::write(&file, "trusted_proxy = \"127.0.0.1\"\n").unwrap();
    assert_eq!(
        refused(&backend(folder.path(), &["config"], &[])),
        "backend: backend.toml: there is no setting `trusted_proxy`: did you mean `trusted_proxies`?\n"
    );
    std::fs::write(&file, "[server]\nlisten = \"127.0.0.1:0\"\n").unwrap();
    assert!(refused(&backend(folder.path(), &["config"], &[])).contains("no setting `server`"));
    std::fs::write(&file, "listen = \"everywhere\"\n").unwrap();
    let invalid = backend(folder.path(), &["config"], &[]);
    assert!(!invalid.status.success());
    assert!(String::from_utf8_lossy(&invalid.stderr).contains("everywhere"));
}

/// LOAD-49: the version has the commit.
#[test]
fn the_version_has_the_commit() {
    let folder = TempDir::new().unwrap();
    let text = printed(&backend(folder.path(), &["--version"], &[]));
    let expected = format!("backend {} (", env!("CARGO_PKG_VERSION"));
    assert!(
        text.starts_with(&expected) && text.trim_end().ends_with(')'),
        "{text}"
    );
}

/// LOAD-50: `migrate --check` and `serve --no-migrate` fail while migrations are pending, and change nothing.
#[tokio::test]
async fn pending_migrations_are_reported_and_applied_by_a_command() {
    let folder = TempDir::new().unwrap();
    let database = TestDatabase::create();
    let url = database.url();
    let run = |arguments: &[&str]| {
        backend(
            folder.path(),
            arguments,
            &[("BACKEND_DATABASE", &url), ("BACKEND_LISTEN", "127.0.0.1:0")],
        )
    };
    for arguments in [&["migrate", "--check"][..], &["serve", "--no-migrate"]] {
        let message = refused(&run(arguments));
        assert!(
            message.contains("migrations are pending: V1__models, V2__list_indices"),
            "{message}"
        );
        assert!(message.contains("`backend migrate`"), "{message}");
    }
    assert_eq!(database.columns(), Vec::<String>::new());
    let applied = printed(&run(&["migrate"]));
    assert!(applied.contains("applied V1__models\n"), "{applied}");
    assert!(!printed(&run(&["migrate"])).contains("applied V"));
    printed(&run(&["migrate", "--check"]));
    let process = Process::start(serve::command(&url).arg("--no-migrate"));
    process.client.get("/api/v1/tags").await.expect(200);
}

/// LOAD-51: an older program serves a database with newer migrations and says so, unless a table no longer fits.
#[tokio::test]
async fn an_older_program_serves_a_database_with_newer_migrations() {
    let database = TestDatabase::create();
    backend::app::APPLICATION.open(&database.url()).await.unwrap();
    database.execute(
        "INSERT INTO model_resource_migrations (version, name, applied_at, checksum) \
         VALUES (1005, 'newer', '2026-01-01T00:00:00Z', '1'); \
         ALTER TABLE categories ADD COLUMN newer INTEGER",
    );
    for option in ["--no-migrate", "--grace-period=0"] {
        let mut process = Process::start(serve::command(&database.url()).arg(option));
        process.client.get("/readyz").await.expect(200);
        process.client.get("/api/v1/categories").await.expect(200);
        process.signal("TERM");
        let (_, log) = process.wait();
        assert!(log.contains("migrated by a newer program"), "{option}: {log}");
        assert!(log.contains("V1005__newer"), "{option}: {log}");
    }
    database.execute("ALTER TABLE categories RENAME COLUMN name TO label");
    let opened = backend::app::APPLICATION.open(&database.url()).await;
    let message = opened.err().unwrap().to_string();
    assert!(message.contains("name"), "{message}");
}

/// LOAD-52: a process waits for another one that migrates, and says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_waits_for_the_migration_of_another() {
    let database = TestDatabase::create();
    let lock = if database.is_postgres() {
        // The lock of migrations, until the end of the transaction.
        database.execute("BEGIN; SELECT pg_advisory_xact_lock(7163271884905)");
        None
    } else {
        database.execute("CREATE TABLE other (id INTEGER); PRAGMA journal_mode = WAL");
        Some(database.lock(&["other"]))
    };
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
    command.args(["migrate", "--database", &database.url()]);
    let waiting = tokio::task::spawn_blocking(move || command.output().unwrap());
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert!(
        !waiting.is_finished(),
        "it waits no longer than for a lock of a write"
    );
    match lock {
        Some(lock) => lock.release(),
        None => database.execute("ROLLBACK"),
    }
    let output = waiting.await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(7));
    assert!(printed(&output).contains("applied V1__models"));
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("waiting for another process"), "{log}");
}

/// LIM-7: a signal while `serve` waits for the database ends it with success, and nothing is migrated.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_before_the_database_is_open_ends_the_program_with_success() {
    let database = TestDatabase::create();
    let lock = if database.is_postgres() {
        database.execute("BEGIN; SELECT pg_advisory_xact_lock(7163271884905)");
        None
    } else {
        database.execute("CREATE TABLE other (id INTEGER); PRAGMA journal_mode = WAL");
        Some(database.lock(&["other"]))
    };
    let before = database.columns();
    for signal in ["TERM", "INT"] {
        let mut child = serve::command(&database.url())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until_logged(&mut child, "waiting for another process");
        send_signal(&child, signal);
        let output = ended(child);
        assert!(output.status.success(), "{signal}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "backend has stopped\n");
    }
    match lock {
        Some(lock) => lock.release(),
        None => database.execute("ROLLBACK"),
    }
    assert_eq!(database.columns(), before);
}

/// LIM-7: a signal as soon as the address is printed stops the server as any later one.
#[test]
fn a_signal_as_soon_as_the_address_is_printed_ends_the_program_with_success() {
    let database = TestDatabase::create();
    for signal in ["TERM", "INT"] {
        let mut process = Process::start(serve::command(&database.url()).arg("--grace-period=0"));
        process.signal(signal);
        let (status, log) = process.wait();
        assert!(status.success(), "{signal}: {status}: {log}");
    }
}

/// LOAD-23: on SIGINT there is no grace period, however long it is.
#[test]
fn sigint_skips_the_grace_period() {
    let database = TestDatabase::create();
    let mut process = Process::start(serve::command(&database.url()).arg("--grace-period=3600"));
    process.signal("INT");
    let deadline = Instant::now() + Duration::from_secs(60);
    while process.child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "the grace period has begun");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(process.wait().0.success());
}

/// Maximum time for what the program does at once, on a machine that is busy with other tests.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Waits until a line of a program's log contains a text.
fn until_logged(child: &mut Child, text: &str) {
    let log = BufReader::new(child.stderr.take().unwrap());
    let (sender, lines) = mpsc::channel();
    // It reads to the end, because a program whose log is full waits.
    std::thread::spawn(move || {
        for line in log.lines() {
            sender.send(line.unwrap()).ok();
        }
    });
    let deadline = Instant::now() + MAX_WAIT;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match lines.recv_timeout(left) {
            Ok(line) if line.contains(text) => return,
            Ok(_) => {}
            Err(error) => {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("no {text:?} in the log: {error}");
            }
        }
    }
}

/// Waits for the end of a program, which prints little.
fn ended(mut child: Child) -> Output {
    let deadline = Instant::now() + MAX_WAIT;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the program has not ended");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

fn send_signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(child.id().to_string())
        .status();
    assert!(status.unwrap().success());
}
