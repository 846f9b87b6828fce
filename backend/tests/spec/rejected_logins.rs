//! A password that is no longer valid, and a database that is dropped, while the server runs.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use model_resource::{Sql, Store};
use serde_json::json;
use test_support::{Client, ClusterSettings, Process, dedicated_server_with};
use tokio::task::JoinSet;

use crate::operations::readiness;
use crate::serve;

const TAGS: &str = "/api/v1/tags";

/// A server whose role `app` needs a password, the program that serves its database `app`, and the server's operator.
struct Outage {
    operator: Store,
    process: Process,
    client: Client,
    url: String,
    begin: Instant,
    _server: Box<dyn Send>,
}

impl Outage {
    /// Starts the program; `None` if the tests run on SQLite.
    async fn start() -> Option<Self> {
        let access = "local all postgres trust\nlocal all all scram-sha-256\n";
        let settings = ClusterSettings {
            files: vec![("pg_hba.conf", access.to_owned())],
            ..ClusterSettings::default()
        };
        let server = dedicated_server_with(Path::new(env!("CARGO_TARGET_TMPDIR")), &settings)?;
        let operator = Store::open(server.url()).await.unwrap();
        let address = server.url().strip_prefix("postgres://postgres@").unwrap();
        let url = format!(
            "postgres://app:first@{}/app",
            address.strip_suffix("/postgres").unwrap()
        );
        run(&operator, "CREATE ROLE app LOGIN PASSWORD 'first'").await;
        run(&operator, "CREATE DATABASE app OWNER app").await;
        let process = Process::start(&mut serve::command(&url));
        Some(Self {
            operator,
            client: process.client.clone(),
            process,
            url,
            begin: Instant::now(),
            _server: Box::new(server),
        })
    }

    async fn create_tag(&self, name: &str) -> u16 {
        create_tag(self.client.clone(), name.to_owned()).await
    }

    /// Sends concurrent writes, which need new connections, until one is 503.
    async fn until_unavailable(&self) {
        for round in 0..100 {
            let create = |number| create_tag(self.client.clone(), format!("{round}-{number}"));
            let writes: JoinSet<u16> = (0..16).map(create).collect();
            if writes.join_all().await.contains(&503) {
                return;
            }
        }
        panic!("all connections are still accepted");
    }

    /// Reads and writes are 503, and the server has closed the connections of the program.
    async fn assert_unavailable(&self) {
        let begin = Instant::now();
        for _ in 0..5 {
            let tag = json!({"tag": {"name": "meanwhile"}});
            for answer in [
                self.client.get(TAGS).await,
                self.client.get("/api/v1/tags/1").await,
                self.client.get("/api/v1/tags?name[contains]=a").await,
                self.client.post(TAGS, tag).await,
            ] {
                assert_eq!(answer.expect(503).header("retry-after"), "1");
            }
        }
        readiness(&self.client, 503).await;
        while self.connections().await > 0 {
            assert!(
                begin.elapsed() < Duration::from_secs(10),
                "connections are still open"
            );
            self.client.get(TAGS).await.expect(503);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Number of connections that the program has.
    async fn connections(&self) -> i64 {
        let count = "SELECT count(*) AS count FROM pg_stat_activity WHERE usename = 'app'";
        let rows = self.operator.fetch(Sql::new(count)).await.unwrap();
        rows[0].get("count").unwrap()
    }

    /// Ends the program. Its log has one line for the beginning of the outage and one for its end, and at most one per ten
    /// seconds for the requests meanwhile.
    fn assert_log(mut self) {
        self.process.signal("TERM");
        let (_, log) = self.process.wait();
        let lines = |text: &str| log.lines().filter(|line| line.contains(text)).count();
        assert_eq!(lines("the database rejects logins"), 1, "{log}");
        assert_eq!(lines("the database is available again"), 1, "{log}");
        assert_eq!(lines("the database refuses connections"), 0, "{log}");
        let intervals = usize::try_from(self.begin.elapsed().as_secs() / 10).unwrap();
        let of_requests = lines("the service is unavailable");
        assert!((1..=intervals + 1).contains(&of_requests), "{log}");
    }
}

/// Creates a tag as an anonymous client, and returns the status.
async fn create_tag(client: Client, name: String) -> u16 {
    let tag = json!({"tag": {"name": name}});
    client.post(TAGS, tag).await.status.as_u16()
}

async fn run(operator: &Store, sql: &'static str) {
    operator.execute(Sql::new(sql)).await.unwrap();
}

/// LOAD-63: a server that rejects the password is left until it accepts it, although open connections would still work.
#[tokio::test]
async fn requests_are_503_while_the_password_is_rejected() {
    let Some(outage) = Outage::start().await else {
        return;
    };
    assert_eq!(outage.create_tag("before").await, 201);
    run(&outage.operator, "ALTER ROLE app PASSWORD 'second'").await;
    outage.until_unavailable().await;
    outage.assert_unavailable().await;
    run(&outage.operator, "ALTER ROLE app PASSWORD 'first'").await;
    readiness(&outage.client, 200).await;
    assert_eq!(outage.create_tag("after").await, 201);
    outage.assert_log();
}

/// LOAD-63: a dropped database is used again as soon as it has its tables again.
#[tokio::test]
async fn requests_are_503_while_the_database_is_dropped() {
    let Some(outage) = Outage::start().await else {
        return;
    };
    assert_eq!(outage.create_tag("before").await, 201);
    run(&outage.operator, "DROP DATABASE app WITH (FORCE)").await;
    outage.assert_unavailable().await;
    run(&outage.operator, "CREATE DATABASE app OWNER app").await;
    // It has no tables yet.
    for _ in 0..15 {
        outage.client.get(TAGS).await.expect(503);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let migrated = Command::new(env!("CARGO_BIN_EXE_backend"))
        .args(["migrate", "--database", &outage.url])
        .output()
        .unwrap();
    assert!(migrated.status.success(), "{migrated:?}");
    readiness(&outage.client, 200).await;
    assert_eq!(outage.create_tag("before").await, 201);
    outage.client.get("/api/v1/tags?name=before").await.expect(200);
    outage.assert_log();
}
