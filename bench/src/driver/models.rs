//! Many models instead of one: time of startup, and time per request.

use std::time::Instant;

use super::client::Client;
use super::data::Data;
use super::interrupt;
use super::load;
use super::process::{Process, Programs};
use super::request::{Ask, list, thing};
use super::round::{Round, Rounds, median};
use super::rows;
use crate::outcome::{Document, Failure, Models, Start};

/// Number of models with 20 columns each.
const MANY: u64 = 200;
/// Number of models in the OpenAPI document.
const DOCUMENTED: u64 = 500;
/// Number of rows of the first model, which one part requests exclusively. The others have `FEW`.
const ROWS: u64 = 10_000;
const FEW: u64 = 50;

/// Measures one model, 200 models with requests for one, and 200 models with requests for all.
pub(super) async fn measure(
    programs: &Programs,
    data: &mut Data,
    rounds: Rounds,
    starts: usize,
) -> Result<(Vec<Models>, Vec<Start>), Failure> {
    let mut started = Vec::new();
    for models in [1, MANY] {
        eprintln!("{} models: {starts} starts with {models}", data.database().name());
        let name = format!("models_{models}");
        let mut fresh = Vec::new();
        for _ in 0..starts {
            interrupt::check()?;
            let url = data.make(&name).await?;
            // No row exists yet.
            fresh.push(start(programs, models, &url, 404)?);
        }
        let first = rows::things(data.database(), 0..1, ROWS);
        data.add(&name, &(first + &rows::things(data.database(), 1..models, FEW)))
            .await?;
        let url = data.url(&name);
        let existing = (0..starts)
            .map(|_| start(programs, models, &url, 200))
            .collect::<Result<Vec<_>, _>>()?;
        started.push(Start {
            database: data.database(),
            models,
            fresh_ms: median(&fresh, |ms| *ms),
            existing_ms: median(&existing, |ms| *ms),
        });
    }
    Ok((gets(programs, data, rounds)?, started))
}

/// Returns the milliseconds from the process's start to its first response.
fn start(programs: &Programs, models: u64, database: &str, expected: u16) -> Result<f64, Failure> {
    let mut request = Vec::new();
    thing(&mut request, models - 1, 1);
    let begin = Instant::now();
    let process = programs.serve_models(models, database)?;
    let status = Client::connect(&process.address)?.exchange(&request, |_| ())?;
    let time = begin.elapsed();
    if status == expected {
        Ok(time.as_secs_f64() * 1e3)
    } else {
        Err(format!("the first request was answered with {status}").into())
    }
}

/// Measures gets in alternating rounds.
fn gets(programs: &Programs, data: &Data, rounds: Rounds) -> Result<Vec<Models>, Failure> {
    let mut running: Vec<(u64, u64, Process, Vec<Round>)> = Vec::new();
    for (models, requested) in [(1, 1), (MANY, 1), (MANY, MANY)] {
        let process = programs.serve_models(models, &data.url(&format!("models_{models}")))?;
        running.push((models, requested, process, Vec::new()));
    }
    for number in 0..=rounds.count {
        for (models, requested, process, measured) in &mut running {
            let ask = Ask::Things {
                models: *requested,
                rows: if *requested == 1 { ROWS } else { FEW },
            };
            if number == 0 {
                // Each connection has to prepare a statement for each model.
                load::run(process, ask, 0, rounds.time * 2, || ())?;
                continue;
            }
            let round = Round::run(process, ask, number, rounds.time)?;
            eprintln!(
                "{} models, round {number} of {}: {requested} of {models} requested: {:.0} requests/s",
                data.database().name(),
                rounds.count,
                round.requests_per_second
            );
            if round.failed > 0 {
                return Err(format!("{} gets of {models} models failed", round.failed).into());
            }
            measured.push(round);
        }
    }
    let outcomes = running.iter().map(|(models, requested, process, rounds)| {
        Ok(Models {
            database: data.database(),
            models: *models,
            requested: *requested,
            requests_per_second: median(rounds, |round| round.requests_per_second),
            cpu_micros: median(rounds, |round| round.cpu_micros),
            peak_mib: process.peak()?,
        })
    });
    outcomes.collect()
}

/// Measures the OpenAPI document, which each process builds at the first request for it.
pub(super) async fn document(
    programs: &Programs,
    data: &mut Data,
    starts: usize,
) -> Result<Document, Failure> {
    eprintln!(
        "{} models: OpenAPI document of {DOCUMENTED}",
        data.database().name()
    );
    let url = data.make("models_document").await?;
    let (mut first, mut next, mut bytes) = (Vec::new(), Vec::new(), 0);
    for _ in 0..starts {
        interrupt::check()?;
        let process = programs.serve_models(DOCUMENTED, &url)?;
        let mut client = Client::connect(&process.address)?;
        for times in [&mut first, &mut next] {
            let (time, length) = timed(&mut client, "/api/v1/openapi.json")?;
            times.push(time);
            bytes = length;
        }
    }
    Ok(Document {
        database: data.database(),
        models: DOCUMENTED,
        first_ms: median(&first, |ms| *ms),
        next_ms: median(&next, |ms| *ms),
        mib: bytes as f64 / 1024.0 / 1024.0,
    })
}

/// Returns the milliseconds of a request, and the length of the response.
fn timed(client: &mut Client, path: &str) -> Result<(f64, usize), Failure> {
    let (mut request, mut bytes) = (Vec::new(), 0);
    list(&mut request, path);
    let begin = Instant::now();
    let status = client.exchange(&request, |part| bytes += part.len())?;
    match status {
        200 => Ok((begin.elapsed().as_secs_f64() * 1e3, bytes)),
        _ => Err(format!("{path} was answered with {status}").into()),
    }
}
