//! Check before the measurement: all servers return the same responses.

use serde_json::Value;

use super::client::Client;
use super::process::Process;
use super::request::{self, Ask, Requests, list_of, rows_of};
use crate::outcome::{Failure, Server, Work};

/// Fails unless the responses are equal, byte by byte for reads.
pub(super) fn same_answers(work: Work, servers: &[(Server, Process)]) -> Result<(), Failure> {
    let mut expected: Option<(Server, Vec<Vec<u8>>)> = None;
    for (server, process) in servers {
        let answers = answers(work, process)?;
        match &expected {
            None => expected = Some((*server, answers)),
            Some((first, expected)) if *expected != answers => {
                let pairs = std::iter::zip(expected, &answers);
                let (one, other) = pairs
                    .into_iter()
                    .find(|(one, other)| one != other)
                    .ok_or("no pair")?;
                let at = std::iter::zip(one, other)
                    .take_while(|(one, other)| one == other)
                    .count();
                let part = |answer: &[u8]| {
                    String::from_utf8_lossy(&answer[at.saturating_sub(100)..answer.len().min(at + 100)])
                        .into_owned()
                };
                return Err(format!(
                    "{} and {} do not answer the same:\n{}\n{}",
                    first.name(),
                    server.name(),
                    part(one),
                    part(other)
                )
                .into());
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn answers(work: Work, process: &Process) -> Result<Vec<Vec<u8>>, Failure> {
    let mut client = Client::connect(&process.address)?;
    let token = process.token.as_deref();
    let mut answers = Vec::new();
    let mut bytes = Vec::new();
    for id in [1, 2, 50, rows_of(work)] {
        bytes.clear();
        request::get(&mut bytes, id);
        request::authorize(&mut bytes, token);
        answers.push(answer(&mut client, &bytes)?);
    }
    if let Some(list) = list_of(work) {
        bytes.clear();
        request::list(&mut bytes, list);
        request::authorize(&mut bytes, token);
        answers.push(answer(&mut client, &bytes)?);
    }
    match work {
        // Timestamps differ.
        Work::Create | Work::Patch | Work::Mixed => {
            let written = answer(
                &mut client,
                Requests::new(Ask::Articles(work, 1), 0, token).next(),
            )?;
            let mut written: Value = serde_json::from_slice(&written)?;
            for moment in ["createdAt", "updatedAt"] {
                let digits = written[moment].as_str().map(str::len);
                written[moment] = digits.ok_or("an answer has no moment")?.into();
            }
            // Anonymous callers have no account.
            written["authorId"] = Value::Null;
            answers.push(serde_json::to_vec(&written)?);
        }
        Work::Line | Work::Invoice => {
            answer(
                &mut client,
                Requests::new(Ask::Articles(work, 1), 0, token).next(),
            )?;
        }
        Work::Get
        | Work::List100
        | Work::List10000
        | Work::Expanded100
        | Work::Tagged100
        | Work::Filtered => {}
    }
    Ok(answers)
}

pub(super) fn answer(client: &mut Client, request: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    let status = client.exchange(request, |part| body.extend_from_slice(part))?;
    if !(200..300).contains(&status) || body.is_empty() {
        let body = String::from_utf8_lossy(&body);
        return Err(format!("a request was answered with {status}: {body}").into());
    }
    Ok(body)
}
