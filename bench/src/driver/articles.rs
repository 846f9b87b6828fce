//! One workload on one database: all servers in alternating rounds.

use super::check::same_answers;
use super::data::{Data, GROWN};
use super::load;
use super::process::{Process, Programs};
use super::request::{Ask, rows_of};
use super::round::{Round, Rounds, median};
use crate::outcome::{Database, Failure, Outcome, Server, Work};

/// Returns the name of the database with this number of articles that is copied for the servers.
pub(super) fn original(articles: u64) -> String {
    format!("seed_{articles}")
}

/// Database that the servers use.
pub(super) enum Source<'a> {
    /// Copies of the seeded articles.
    Articles,
    /// The long table at this URL, which the servers share because they only read.
    Grown(&'a str),
    /// Copies of a database with accounts, and a token.
    Accounts { name: &'a str, token: &'a str },
}

/// Measures a workload on these servers.
pub(super) async fn measure(
    programs: &Programs,
    data: &mut Data,
    source: &Source<'_>,
    work: Work,
    servers: &[Server],
    rounds: Rounds,
) -> Result<Vec<Outcome>, Failure> {
    let servers: Vec<Server> = servers
        .iter()
        .copied()
        .filter(|server| *server != Server::Limit || work.has_limit())
        .collect();
    let mut running = Vec::new();
    // Each commit applies its own migrations, so it cannot share the database of another.
    let is_shared = !servers.contains(&Server::Baseline);
    for &server in &servers {
        let name = format!("copy_{}", server.name());
        let database = match source {
            Source::Grown(database) if is_shared => (*database).to_owned(),
            Source::Grown(_) => data.copy(GROWN, &name).await?,
            Source::Articles => data.copy(&original(rows_of(work)), &name).await?,
            Source::Accounts { name: original, .. } => data.copy(original, &name).await?,
        };
        let mut process = programs.serve(server, &database)?;
        if let Source::Accounts { token, .. } = source {
            // The servers without accounts ignore it.
            process.token = Some((*token).to_owned());
        }
        running.push((server, process));
    }
    let idle = running.iter().map(|(_, process)| process.peak());
    let idle: Vec<f64> = idle.collect::<Result<_, _>>()?;
    same_answers(work, &running)?;
    let clients = rounds.clients;
    let measured = alternate(&running, data.database(), work, rounds)?;
    let measured = std::iter::zip(&running, std::iter::zip(idle, &measured));
    measured
        .map(|((server, process), (idle_mib, rounds))| {
            Ok(Outcome {
                database: data.database(),
                work,
                server: *server,
                clients,
                requests_per_second: median(rounds, |round| round.requests_per_second),
                p50_ms: median(rounds, |round| round.p50_ms),
                p99_ms: median(rounds, |round| round.p99_ms),
                cpu_micros: median(rounds, |round| round.cpu_micros),
                peak_mib: process.peak()?,
                idle_mib,
                load_micros: median(rounds, |round| round.load_micros),
                failed: rounds.iter().map(|round| round.failed).sum(),
            })
        })
        .collect()
}

/// Runs the rounds on the servers in turn, after a warm-up. Returns the rounds of each server.
fn alternate(
    running: &[(Server, Process)],
    database: Database,
    work: Work,
    rounds: Rounds,
) -> Result<Vec<Vec<Round>>, Failure> {
    let ask = Ask::Articles(work, rounds.clients);
    for (_, process) in running {
        load::run(process, ask, 0, rounds.warm_up(), || ())?;
    }
    let mut measured: Vec<Vec<Round>> = running.iter().map(|_| Vec::new()).collect();
    for number in 1..=rounds.count {
        for ((server, process), measured) in std::iter::zip(running, &mut measured) {
            let round = Round::run(process, ask, number, rounds.time)?;
            eprintln!(
                "{} {}, round {number} of {}: {} {:.0} requests/s",
                database.name(),
                work.name(),
                rounds.count,
                server.name(),
                round.requests_per_second
            );
            measured.push(round);
        }
    }
    Ok(measured)
}
