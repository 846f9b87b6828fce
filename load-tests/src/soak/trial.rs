//! The run on each database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::client::Client;
use crate::database::{Database, DatabaseKind};
use crate::failure::Failure;
use crate::seed;
use crate::server::Server;
use crate::soak::answers::Recorder;
use crate::soak::faults::cause_faults;
use crate::soak::load::Load;
use crate::soak::options::SoakOptions;
use crate::soak::report::{IDLE_FILES_ALLOWANCE, SoakLine, SoakReport};
use crate::soak::samples::Samples;

/// Rows at the beginning.
const ARTICLES: u64 = 2000;
const COMMENTS: u64 = 10_000;
/// Maximum time until a server without load has closed the connections of its clients.
const MAX_IDLE_TIME: Duration = Duration::from_secs(5);

/// Runs the load on each database and prints the table of results. Fails if the server does not stay the same.
pub(crate) async fn run(options: &SoakOptions) -> Result<(), Failure> {
    eprintln!("--seed {}", options.seed);
    let mut report = SoakReport::default();
    for kind in &options.databases {
        let line = soak(*kind, options).await?;
        line.print_works();
        report.add(line);
    }
    print!("{report}");
    report.verdict()
}

async fn soak(kind: DatabaseKind, options: &SoakOptions) -> Result<SoakLine, Failure> {
    let database = Arc::new(Database::create(kind)?);
    let seed = seed::fill(&database.url(), ARTICLES, COMMENTS).await?;
    let server = Server::start(&options.backend, &database.url())?;
    let client = Client::new(server.address).with_token(&seed.token);
    let before = server.open_files()?;
    let recorder = Arc::new(Recorder::default());
    let load = Load::start(&client, &seed, &recorder);
    let mut random = StdRng::seed_from_u64(options.seed);
    let (windows, samples) = tokio::try_join!(
        cause_faults(kind, &database, &client, &mut random, options.time),
        Samples::take(&server, options.time),
    )?;
    load.end().await;
    drop(client);
    let begin = Instant::now();
    let mut after = server.open_files()?;
    while begin.elapsed() < MAX_IDLE_TIME && after > before + IDLE_FILES_ALLOWANCE {
        tokio::time::sleep(Duration::from_millis(100)).await;
        after = server.open_files()?;
    }
    Ok(SoakLine {
        database: kind,
        answers: recorder.take(),
        windows,
        memory: samples.memory(),
        files: samples.files(),
        idle_files: (before, after),
    })
}
