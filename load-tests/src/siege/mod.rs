//! A siege: well-behaved clients at a fixed rate, while one attack after the other runs.

mod attack;
mod attacks;
mod good_clients;
mod options;
mod processor_time;
mod repeat;
mod report;

use std::time::Duration;

use crate::client::Client;
use crate::database::{Database, DatabaseKind};
use crate::failure::Failure;
use crate::seed;
use crate::server::Server;
use crate::siege::attack::{Attack, Target};
use crate::siege::good_clients::{Measurement, Work};
pub(crate) use crate::siege::options::SiegeOptions;
use crate::siege::processor_time::ProcessorTime;
use crate::siege::report::{Line, Report, WorkResult, WorkTarget};

/// Maximum time for the server to recover after an attack.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Part of the processors' time that other virtual machines may take during a measurement that is missed.
const MAX_STOLEN: f64 = 0.02;
/// Part of the processors' time beyond which no measurement is judged: the server hardly ran.
const MAX_JUDGED: f64 = 0.3;
/// Maximum measurements of one attack.
const MAX_MEASUREMENTS: u32 = 3;

/// Runs the attacks on each database and prints the table of results. Fails if a target is missed.
pub(crate) async fn run(options: &SiegeOptions) -> Result<(), Failure> {
    let mut report = Report::default();
    for kind in &options.databases {
        besiege(*kind, options, &mut report).await?;
    }
    let text = report.to_string();
    print!("{text}");
    if let Some(file) = &options.report {
        std::fs::write(file, &text)?;
    }
    report.verdict()
}

async fn besiege(kind: DatabaseKind, options: &SiegeOptions, report: &mut Report) -> Result<(), Failure> {
    let database = Database::create(kind)?;
    let seed = seed::fill(&database.url(), options.articles, options.comments).await?;
    let server = Server::start(&options.backend, &database.url())?;
    let target = Target {
        client: Client::new(server.address),
        database: &database,
        seed: &seed,
        time: options.time,
        slow_readers: options.slow_readers,
        page: options.page,
    };
    // Warms up connections, caches and prepared statements.
    measure(&target).await;
    let siege = Siege {
        kind,
        target: &target,
        memory: server.memory()?,
        server: &server,
        options,
    };
    let selected = |attack: &&Attack| {
        options.attacks.is_empty() || options.attacks.iter().any(|name| name == attack.name)
    };
    for attack in attacks::ALL
        .iter()
        .filter(selected)
        .filter(|attack| attack.runs_on(kind))
    {
        eprintln!("{}: {}", kind.name(), attack.name);
        (attack.prepare)(&target).await?;
        if let Some(line) = siege.judge(attack).await? {
            report.add(line);
        }
    }
    Ok(())
}

/// A server that is attacked.
struct Siege<'s> {
    kind: DatabaseKind,
    target: &'s Target<'s>,
    server: &'s Server,
    /// Memory of the server before the first attack, in MiB.
    memory: u64,
    options: &'s SiegeOptions,
}

impl Siege<'_> {
    /// Runs an attack, again if it misses a target while other virtual machines took the processors. Returns nothing if they
    /// took too much of them each time.
    async fn judge(&self, attack: &Attack) -> Result<Option<Line>, Failure> {
        let mut number = 1;
        loop {
            let begin = ProcessorTime::now();
            let measured = self.run(attack).await;
            let stolen = ProcessorTime::now().stolen_since(begin);
            tokio::time::sleep(MAX_PAUSE.min(self.options.time / 4)).await;
            let is_good = measured.as_ref().is_ok_and(Line::is_good);
            if is_good || stolen < MAX_STOLEN || number == MAX_MEASUREMENTS && stolen < MAX_JUDGED {
                return measured.map(Some);
            }
            match &measured {
                Ok(line) => eprint!("{line}"),
                Err(failure) => eprintln!("{failure}"),
            }
            let stolen = stolen * 100.0;
            if number == MAX_MEASUREMENTS {
                eprintln!("NOT JUDGED: other machines took {stolen:.0}% of the processors");
                return Ok(None);
            }
            eprintln!("measured again: other machines took {stolen:.0}% of the processors");
            number += 1;
        }
    }

    /// Measures before and during an attack.
    async fn run(&self, attack: &Attack) -> Result<Line, Failure> {
        let before = measure(self.target).await;
        let attacked = || attack.run(self.target, measure(self.target), || self.server.memory());
        let (during, peak) = tokio::task::block_in_place(attacked)?;
        let growth = peak.saturating_sub(self.memory);
        let prevented = (attack.prevents)(self.kind);
        let works = Work::ALL.map(|work| {
            let target = if prevented.works.contains(&work) {
                WorkTarget::RefusedWithin(prevented.limit)
            } else {
                WorkTarget::MaxRatio(self.options.max_ratio)
            };
            WorkResult::new(before.of(work), during.of(work), target)
        });
        Ok(Line::new(self.kind.name(), attack.name, works, growth))
    }
}

async fn measure(target: &Target<'_>) -> Measurement {
    good_clients::measure(&target.client, target.seed, target.time).await
}
