//! One work on one database: all servers, in alternating rounds.

use super::check::same_answers;
use super::data::Data;
use super::load::{self, Load};
use super::options::Options;
use super::process::Process;
use super::request::rows_of;
use crate::outcome::{Failure, Outcome, Server, Work};

/// What one round of one server gave.
struct Round {
    requests_per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
    cpu_micros: f64,
    failed: u64,
}

pub(super) async fn measure(
    options: &Options,
    data: &mut Data,
    work: Work,
    servers: &[Server],
) -> Result<Vec<Outcome>, Failure> {
    let mut running = Vec::new();
    let mut idle = Vec::new();
    for &server in servers {
        let database = data
            .copy(rows_of(work), &format!("copy_{}", server.name()))
            .await?;
        let process = Process::start(server, &options.backend, &database)?;
        idle.push(process.peak()?);
        running.push((server, process));
    }
    same_answers(work, &running).await?;
    let mut rounds: Vec<Vec<Round>> = servers.iter().map(|_| Vec::new()).collect();
    for number in 0..=options.rounds() {
        for ((server, process), rounds) in std::iter::zip(&running, &mut rounds) {
            let what = format!("{} {}, {}", data.database().name(), work.name(), server.name());
            if number == 0 {
                eprintln!("{what}: warming up");
                load::run(&process.address, work, 0, options.warm_up(), || ())?;
                continue;
            }
            let round = round(options, work, number as u64, process)?;
            eprintln!(
                "{what}: round {number} of {}: {:.0} requests/s",
                options.rounds(),
                round.requests_per_second
            );
            rounds.push(round);
        }
    }
    let measured = std::iter::zip(&running, std::iter::zip(&idle, &rounds));
    measured
        .map(|((server, process), (idle, rounds))| {
            Ok(Outcome {
                database: data.database(),
                work,
                server: *server,
                requests_per_second: median(rounds, |round| round.requests_per_second),
                p50_ms: median(rounds, |round| round.p50_ms),
                p99_ms: median(rounds, |round| round.p99_ms),
                cpu_micros: median(rounds, |round| round.cpu_micros),
                peak_mib: process.peak()?,
                idle_mib: *idle,
                failed: rounds.iter().map(|round| round.failed).sum(),
            })
        })
        .collect()
}

fn round(options: &Options, work: Work, number: u64, process: &Process) -> Result<Round, Failure> {
    let mut before = Ok(0.0);
    let load: Load = load::run(&process.address, work, number, options.time(), || {
        before = process.cpu();
    })?;
    let cpu = process.cpu()? - before?;
    Ok(Round {
        requests_per_second: load.requests / options.time().as_secs_f64(),
        p50_ms: load.histogram.quantile(0.5),
        p99_ms: load.histogram.quantile(0.99),
        cpu_micros: cpu * 1e6 / load.answered.max(1) as f64,
        failed: load.failed,
    })
}

fn median(rounds: &[Round], figure: impl Fn(&Round) -> f64) -> f64 {
    let mut figures: Vec<f64> = rounds.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
