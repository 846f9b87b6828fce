//! The rounds of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use http::Method;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::client::Client;
use crate::crash::comparison::{ExpectedRows, ShownRows};
use crate::crash::journal::{Answer, Change, Effect, RowKind, RowName, Write};
use crate::crash::observation::observe;
use crate::crash::options::{Crash, CrashOptions};
use crate::crash::plan::OwnCounter;
use crate::crash::report::{CrashLine, CrashReport};
use crate::crash::writer::{Journal, Writer};
use crate::database::{Database, DatabaseKind};
use crate::failure::Failure;
use crate::seed;
use crate::server::Server;

/// Clients that write at the same time.
const WRITERS: u64 = 8;
/// Time of the load before a crash, in milliseconds.
const TIME_BEFORE: std::ops::Range<u64> = 200..1500;
/// Time of the load after a crash of the database.
const TIME_AFTER: Duration = Duration::from_millis(1500);
/// Rows that exist before the first round.
const SEEDED_ROWS: u64 = 10;
/// Prefix of the tags that all clients try to create.
const CONTESTED: &str = "contested-";
/// Rows that one request deletes.
const MAX_DELETED: usize = 100;

/// Runs the crashes on each database and prints the table of results. Fails if a write is not stored as acknowledged.
pub(crate) async fn run(options: &CrashOptions) -> Result<(), Failure> {
    eprintln!("--seed {}", options.seed);
    let mut report = CrashReport::default();
    for kind in &options.databases {
        report.add(Trial::prepare(*kind, options).await?.run(options.kills).await?);
    }
    print!("{report}");
    report.verdict()
}

/// A server with its database and clients.
struct Trial<'t> {
    options: &'t CrashOptions,
    kind: DatabaseKind,
    database: Arc<Database>,
    server: Server,
    token: String,
    writers: Vec<Writer>,
    expected: ExpectedRows,
    random: StdRng,
}

impl<'t> Trial<'t> {
    async fn prepare(kind: DatabaseKind, options: &'t CrashOptions) -> Result<Self, Failure> {
        let database = Arc::new(Database::create(kind)?);
        let seed = seed::fill(&database.url(), SEEDED_ROWS, SEEDED_ROWS).await?;
        let server = Server::start(&options.backend, &database.url())?;
        let client = Client::new(server.address).with_token(&seed.token);
        let mut writers = Vec::new();
        for number in 0..WRITERS {
            let counter = create_counter(&client, number).await?;
            writers.push(Writer::new(counter, number, options.seed, options.retries));
        }
        let expected = ExpectedRows::new(&observe(&client).await?);
        Ok(Self {
            options,
            kind,
            database,
            server,
            token: seed.token,
            writers,
            expected,
            random: StdRng::seed_from_u64(options.seed),
        })
    }

    async fn run(mut self, rounds: u64) -> Result<CrashLine, Failure> {
        let mut line = CrashLine::new(self.kind);
        let mut writes = Vec::new();
        for round in 0..rounds {
            let crash = self.options.crashes.of_round(round, self.kind);
            let contested = format!("{CONTESTED}{round}-");
            for journal in self.load(crash, &contested).await? {
                writes.extend(journal.writes);
                line.unexpected.extend(journal.unexpected);
            }
            match crash {
                Crash::Server => line.kills += 1,
                Crash::Database => line.database_crashes += 1,
                Crash::Both => {
                    line.kills += 1;
                    line.database_crashes += 1;
                }
            }
            let shown = observe(&self.client()).await?;
            let findings = self.expected.compare(&writes, &shown);
            eprintln!(
                "{}, round {}: {crash:?}, {} acknowledged, {} without answer, {} violations",
                self.kind.name(),
                round + 1,
                findings.acknowledged,
                findings.unknown,
                findings.violations()
            );
            line.findings.add(findings);
            for writer in &mut self.writers {
                writer.adopt(&shown);
            }
            writes = self.delete_contested(&shown).await?;
        }
        Ok(line)
    }

    fn client(&self) -> Client {
        Client::new(self.server.address).with_token(&self.token)
    }

    /// Runs the clients with a crash among their writes, and starts again what crashed.
    async fn load(&mut self, crash: Crash, contested: &str) -> Result<Vec<Journal>, Failure> {
        let client = self.client();
        let is_over = AtomicBool::new(false);
        let time = Duration::from_millis(self.random.random_range(TIME_BEFORE));
        let (server, database) = (&mut self.server, Arc::clone(&self.database));
        let writers = self
            .writers
            .iter_mut()
            .map(|writer| writer.run(client.apart(), contested, &is_over));
        let crashing = async {
            tokio::time::sleep(time).await;
            if matches!(crash, Crash::Server | Crash::Both) {
                server.kill()?;
            }
            if matches!(crash, Crash::Database | Crash::Both) {
                tokio::task::spawn_blocking(move || database.crash()).await??;
                tokio::time::sleep(TIME_AFTER).await;
            }
            is_over.store(true, Ordering::Relaxed);
            Ok::<_, Failure>(())
        };
        let (mut journals, crashed) = tokio::join!(join_all(writers), crashing);
        crashed?;
        if crash != Crash::Database {
            // A statement that the server had sent may still run.
            self.database.until_unused().await?;
            self.server = Server::start(&self.options.backend, &self.database.url())?;
        }
        let client = self.client();
        let writers = self.writers.iter_mut();
        let finished = join_all(writers.map(|writer| writer.finish(client.apart()))).await;
        journals.extend(finished.into_iter().collect::<Result<Vec<_>, _>>()?);
        Ok(journals)
    }

    /// Deletes the tags that all clients tried to create, and returns the writes.
    async fn delete_contested(&self, shown: &ShownRows) -> Result<Vec<Write>, Failure> {
        let is_contested = |name: &RowName| name.kind == RowKind::Tag && name.text.starts_with(CONTESTED);
        let tags: Vec<_> = shown.iter().filter(|(name, _)| is_contested(name)).collect();
        let mut writes = Vec::new();
        for tags in tags.chunks(MAX_DELETED) {
            let rows = tags.iter().flat_map(|(_, rows)| *rows);
            let keys: Vec<String> = rows.map(|row| format!("id={}", row.id)).collect();
            let path = format!("/api/v1/tags?{}", keys.join("&"));
            let (status, body) = self.client().delete(&path).await?;
            if status != 204 {
                return Err(format!("{status} to DELETE {path}: {}", String::from_utf8_lossy(&body)).into());
            }
            let deleted = |row: &RowName| Change {
                row: row.clone(),
                effect: Effect::Deleted,
            };
            writes.push(Write {
                changes: tags.iter().map(|(name, _)| deleted(name)).collect(),
                answer: Answer::Acknowledged,
            });
        }
        Ok(writes)
    }
}

/// Creates the counter of a client.
async fn create_counter(client: &Client, number: u64) -> Result<OwnCounter, Failure> {
    let name = format!("counter-{number}");
    let sample = json!({
        "flag": true, "small": 1, "number": 1, "big": 0, "single": 0.5, "ratio": 0.5, "text": name, "blob": "AAEC",
        "amount": "1.5", "day": "2024-02-29", "clock": "12:00:00", "moment": "2024-02-29T12:00:00Z",
        "token": "0191d5f0-c0de-7000-8000-00000000abcd", "extra": {}, "color": "red",
    });
    let (status, body) = client.send_json(Method::POST, "/api/v1/samples", sample).await?;
    let created: Value = serde_json::from_slice(&body)?;
    match (status, created["id"].as_str()) {
        (201, Some(id)) => Ok(OwnCounter {
            name,
            id: id.to_owned(),
            value: Some(0),
        }),
        _ => Err(format!("{status} to the counter of a client: {created}").into()),
    }
}
