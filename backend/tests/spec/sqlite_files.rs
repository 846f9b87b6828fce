//! The files of a SQLite database: what stops leave, what happens if they vanish, and backups.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;
use tempfile::TempDir;
use test_support::{Client, Process, TestDatabase};

use crate::operations::readiness;
use crate::serve;

const TAGS: &str = "/api/v1/tags";

/// A folder with the database `test.db`.
struct Folder(TempDir);

impl Folder {
    /// Returns `None` if the tests run on PostgreSQL.
    fn new() -> Option<Self> {
        (!TestDatabase::create().is_postgres()).then(|| Self(TempDir::new().unwrap()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn url(&self) -> String {
        format!("sqlite:{}", self.path("test.db").display())
    }

    fn names(&self) -> Vec<String> {
        let entries = self.0.path().read_dir().unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    async fn serve(&self) -> (Process, Client) {
        let mut command = serve::command(&self.url());
        let process = Process::start(command.args(["--grace-period", "0"]));
        let admin = serve::admin(&process, &self.url()).await;
        (process, admin)
    }

    fn backend(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
        command.args(arguments).args(["--database", &self.url()]);
        command.output().unwrap()
    }
}

async fn create_tags(client: &Client, names: std::ops::Range<usize>) {
    for name in names {
        let tag = json!({"tag": {"name": format!("tag {name}")}});
        client.post(TAGS, tag).await.expect(201);
    }
}

fn stop(process: &mut Process) -> String {
    process.signal("TERM");
    let (status, log) = process.wait();
    assert!(status.success(), "{log}");
    log
}

fn tags(file: &Path) -> i64 {
    let database = rusqlite::Connection::open(file).unwrap();
    database
        .query_row("SELECT count(*) FROM tags", (), |row| row.get(0))
        .unwrap()
}

/// LOAD-6: after a stop by SIGTERM and after a command, the database is one file with everything that was written.
#[tokio::test]
async fn a_stop_leaves_one_file() {
    let Some(folder) = Folder::new() else { return };
    let (mut process, admin) = folder.serve().await;
    create_tags(&admin, 0..5).await;
    assert!(folder.names().len() > 1);
    stop(&mut process);
    assert_eq!(folder.names(), ["test.db"]);
    assert_eq!(tags(&folder.path("test.db")), 5);
    assert!(folder.backend(&["seed", "--articles", "3"]).status.success());
    assert_eq!(folder.names(), ["test.db"]);
}

/// LOAD-7: a write-ahead log that vanishes is noticed by the next write: 503, one line in the log, and nothing that was
/// acknowledged before is lost, even if the process is then killed.
#[tokio::test]
async fn writes_are_refused_after_the_log_has_vanished_and_none_is_lost() {
    let Some(folder) = Folder::new() else { return };
    let (mut process, admin) = folder.serve().await;
    create_tags(&admin, 0..20).await;
    std::fs::remove_file(folder.path("test.db-wal")).unwrap();
    for _ in 0..3 {
        let tag = json!({"tag": {"name": "late"}});
        let refused = admin.post(TAGS, tag).await.expect(503);
        assert_eq!(refused.header("retry-after"), "1");
    }
    process.client.get("/readyz").await.expect(503);
    process.signal("KILL");
    let (_, log) = process.wait();
    assert_eq!(log.matches("writes are refused").count(), 1, "{log}");
    assert!(
        log.contains("test.db-wal was moved, deleted or replaced"),
        "{log}"
    );
    assert_eq!(tags(&folder.path("test.db")), 20);
}

/// LOAD-7: nothing is lost either if no write notices the loss before the process is stopped.
#[tokio::test]
async fn a_stop_after_the_log_has_vanished_loses_nothing() {
    let Some(folder) = Folder::new() else { return };
    let (mut process, admin) = folder.serve().await;
    create_tags(&admin, 0..20).await;
    std::fs::remove_file(folder.path("test.db-wal")).unwrap();
    stop(&mut process);
    assert_eq!(tags(&folder.path("test.db")), 20);
}

/// Replaces the database of a server by a backup with five tags, after which it has written more.
async fn replace(folder: &Folder, admin: &Client) {
    create_tags(admin, 0..5).await;
    let copy = folder.path("copy.db");
    assert!(
        folder
            .backend(&["backup", copy.to_str().unwrap()])
            .status
            .success()
    );
    create_tags(admin, 5..20).await;
    std::fs::rename(copy, folder.path("test.db")).unwrap();
}

/// Asserts that the database is the backup, without anything of the log of the replaced one.
fn assert_is_backup(folder: &Folder) {
    let database = rusqlite::Connection::open(folder.path("test.db")).unwrap();
    let check: String = database
        .query_row("PRAGMA integrity_check", (), |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    assert_eq!(tags(&folder.path("test.db")), 5);
}

/// LOAD-7: the log of a database that was replaced is renamed as soon as a write or a readiness check notices it, so that
/// the next start does not apply it to the new file.
#[tokio::test]
async fn the_log_of_a_replaced_database_is_set_aside() {
    for notices in ["write", "readiness check", "stop"] {
        let Some(folder) = Folder::new() else { return };
        let (mut process, admin) = folder.serve().await;
        replace(&folder, &admin).await;
        match notices {
            "write" => {
                admin
                    .post(TAGS, json!({"tag": {"name": "late"}}))
                    .await
                    .expect(503);
                process.signal("KILL");
            }
            "readiness check" => {
                readiness(&process.client, 503).await;
                // The writer renames it after the response.
                tokio::time::sleep(std::time::Duration::from_millis(300)).await;
                process.signal("KILL");
            }
            _ => process.signal("TERM"),
        }
        let (_, log) = process.wait();
        assert_eq!(log.matches("test.db-wal.orphan").count(), 1, "{notices}: {log}");
        assert!(folder.path("test.db-wal.orphan").exists(), "{notices}");
        assert!(!folder.path("test.db-wal").exists(), "{notices}");
        assert!(!folder.path("test.db-shm").exists(), "{notices}");
        assert_is_backup(&folder);
        let (mut process, _) = folder.serve().await;
        process.client.get(TAGS).await.expect(200);
        stop(&mut process);
        assert_is_backup(&folder);
    }
}

/// LOAD-7: the log of another process that has opened the new file is not touched.
#[tokio::test]
async fn the_log_of_another_process_is_left_in_its_place() {
    let Some(folder) = Folder::new() else { return };
    let (mut process, admin) = folder.serve().await;
    replace(&folder, &admin).await;
    std::fs::remove_file(folder.path("test.db-wal")).unwrap();
    std::fs::remove_file(folder.path("test.db-shm")).unwrap();
    let other = rusqlite::Connection::open(folder.path("test.db")).unwrap();
    other
        .execute_batch("PRAGMA journal_mode = WAL; UPDATE tags SET name = 'of the other' WHERE id = 1;")
        .unwrap();
    admin
        .post(TAGS, json!({"tag": {"name": "late"}}))
        .await
        .expect(503);
    stop(&mut process);
    assert_eq!(folder.names(), ["test.db", "test.db-shm", "test.db-wal"]);
    other.execute("DELETE FROM tags WHERE id = 2", ()).unwrap();
    drop(other);
    assert_eq!(tags(&folder.path("test.db")), 4);
    assert_eq!(folder.names(), ["test.db"]);
}

/// LOAD-8: `backend backup` copies the database while a server writes to it, and never overwrites a file.
#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_made_while_a_server_writes() {
    let Some(folder) = Folder::new() else { return };
    let (mut process, admin) = folder.serve().await;
    create_tags(&admin, 0..20).await;
    let copy = folder.path("copy.db");
    let name = copy.to_str().unwrap().to_owned();
    let writing = {
        let admin = admin.clone();
        tokio::spawn(async move { create_tags(&admin, 20..60).await })
    };
    let output = folder.backend(&["backup", &name]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    writing.await.unwrap();
    let copied = tags(&copy);
    assert!((20..=60).contains(&copied), "{copied}");
    let again = folder.backend(&["backup", &name]);
    let message = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(
        !again.status.success() && message.contains("exists already"),
        "{message}"
    );
    assert_eq!(tags(&copy), copied);
    stop(&mut process);
    assert_eq!(tags(&folder.path("test.db")), 60);
}

/// LOAD-8: a backup of a database that does not exist, and of one on PostgreSQL, is refused with the remedy.
#[tokio::test]
async fn a_backup_is_refused_without_a_sqlite_database() {
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("copy.db");
    let missing = format!("sqlite:{}", folder.path().join("missing.db").display());
    let database = TestDatabase::create();
    let mut cases = vec![(missing, "--database")];
    if database.is_postgres() {
        cases.push((database.url(), "pg_dump"));
    }
    for (url, remedy) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
        command.arg("backup").arg(&copy).args(["--database", &url]);
        let output = command.output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(remedy), "{message}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
