//! A page of 100 articles as HTML, beside the JSON that it shows.

use super::articles::original;
use super::check::answer;
use super::client::Client;
use super::data::Data;
use super::load;
use super::process::{Process, Programs};
use super::request::{Ask, FEW, list_as};
use super::round::{Round, Rounds, median};
use crate::outcome::{Failure, Html, Server};

/// The page with all rows of the short table.
const PAGE: &str = "/api/v1/articles?page=1&pageSize=100";
const MEDIA_TYPES: [&str; 2] = ["application/json", "text/html"];

/// Measures both media types on one server in alternating rounds.
pub(super) async fn measure(
    programs: &Programs,
    data: &mut Data,
    rounds: Rounds,
) -> Result<Vec<Html>, Failure> {
    data.seed(&programs.backend, &original(FEW), FEW).await?;
    let url = data.copy(&original(FEW), "copy_html").await?;
    let process = programs.serve(Server::Backend, &url)?;
    let mut measured = MEDIA_TYPES.map(|media_type| (media_type, Vec::new()));
    for number in 0..=rounds.count {
        for (media_type, measured) in &mut measured {
            let ask = Ask::List(PAGE, media_type);
            if number == 0 {
                load::run(&process, ask, 0, rounds.warm_up(), || ())?;
                continue;
            }
            let round = Round::run(&process, ask, number, rounds.time)?;
            eprintln!(
                "{} page of {FEW}, round {number} of {}: {media_type} {:.0} requests/s",
                data.database().name(),
                rounds.count,
                round.requests_per_second
            );
            if round.failed > 0 {
                return Err(format!("{} requests for {media_type} failed", round.failed).into());
            }
            measured.push(round);
        }
    }
    let outcome = |(media_type, rounds): &(&'static str, Vec<Round>)| {
        Ok(Html {
            database: data.database(),
            media_type,
            requests_per_second: median(rounds, |round| round.requests_per_second),
            p50_ms: median(rounds, |round| round.p50_ms),
            p99_ms: median(rounds, |round| round.p99_ms),
            cpu_micros: median(rounds, |round| round.cpu_micros),
            kib: size(&process, media_type)? / 1024.0,
        })
    };
    measured.iter().map(outcome).collect()
}

/// Returns the number of bytes of the page.
fn size(process: &Process, media_type: &str) -> Result<f64, Failure> {
    let mut request = Vec::new();
    list_as(&mut request, PAGE, media_type);
    let body = answer(&mut Client::connect(&process.address)?, &request)?;
    Ok(body.len() as f64)
}
