//! Lists of growing tables: time should be linear in the rows, and memory constant.

use std::time::Instant;

use super::client::Client;
use super::data::Data;
use super::interrupt;
use super::process::{Process, Programs};
use super::request::{ARTICLES, list};
use super::round::median;
use crate::outcome::{Failure, Growth, Server};

/// Compared servers. sqlx holds the whole list in memory and is left out.
const SERVERS: [Server; 2] = [Server::Backend, Server::Limit];

/// Times of one list in milliseconds.
struct Listing {
    first_byte: f64,
    whole: f64,
    bytes: usize,
}

/// Measures lists of tables with these numbers of rows, the shortest first.
pub(super) async fn measure(
    programs: &Programs,
    data: &mut Data,
    sizes: &[u64],
) -> Result<Vec<Growth>, Failure> {
    let mut measured = Vec::new();
    for &size in sizes {
        eprintln!("{} growth: a table of {size} rows", data.database().name());
        let url = data.grow(&programs.backend, size).await?;
        for server in SERVERS {
            interrupt::check()?;
            let process = programs.serve(server, &url)?;
            measured.push(lists(&process, data, server, size)?);
        }
    }
    Ok(measured)
}

/// Requests several lists, one after the other, with one client.
fn lists(process: &Process, data: &Data, server: Server, size: u64) -> Result<Growth, Failure> {
    let idle_mib = process.peak()?;
    let mut client = Client::connect(&process.address)?;
    // The first request opens connections and prepares statements.
    one(&mut client)?;
    let times = if size < 100_000 { 11 } else { 3 };
    let lists = (0..times)
        .map(|_| one(&mut client))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Growth {
        database: data.database(),
        server,
        rows: size,
        first_byte_ms: median(&lists, |list| list.first_byte),
        whole_ms: median(&lists, |list| list.whole),
        mib: median(&lists, |list| list.bytes as f64) / 1024.0 / 1024.0,
        peak_mib: process.peak()?,
        idle_mib,
    })
}

fn one(client: &mut Client) -> Result<Listing, Failure> {
    let mut request = Vec::new();
    list(&mut request, ARTICLES);
    let (mut first_byte, mut bytes) = (None, 0);
    let begin = Instant::now();
    let millis = || begin.elapsed().as_secs_f64() * 1e3;
    let status = client.exchange(&request, |part| {
        first_byte.get_or_insert_with(millis);
        bytes += part.len();
    })?;
    match (status, first_byte) {
        (200, Some(first_byte)) => Ok(Listing {
            first_byte,
            whole: millis(),
            bytes,
        }),
        _ => Err(format!("a list was answered with {status}").into()),
    }
}
