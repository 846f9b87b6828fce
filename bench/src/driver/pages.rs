//! Pages of a long table: whether a distant one costs more than the first.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::check::answer;
use super::client::Client;
use super::load;
use super::process::Programs;
use super::request::{ARTICLES, Ask, list};
use super::round::{Round, Rounds, median};
use crate::outcome::{By, Database, Failure, Page, Server};

/// Sort orders: the primary key, a nearly unique key, and a nullable key with many duplicates.
const ORDERS: [&str; 3] = ["id", "-createdAt", "-rating"];
/// Rows per page.
const SIZE: u64 = 50;
/// Rows per request on the way to a distant page.
const STEP: u64 = 1000;

/// A page with its measurements.
struct Measured {
    order: &'static str,
    number: u64,
    by: By,
    path: String,
    rounds: Vec<Round>,
}

/// Measures the first page and the middle page of a table with this number of rows, by cursor and by offset.
pub(super) fn measure(
    programs: &Programs,
    database: Database,
    url: &str,
    rows: u64,
    rounds: Rounds,
) -> Result<Vec<Page>, Failure> {
    let process = programs.serve(Server::Backend, url)?;
    let number = rows / 2 / SIZE;
    let mut pages = Vec::new();
    for order in ORDERS {
        eprintln!("{} pages: the way to page {number} by {order}", database.name());
        pages.append(&mut pages_of(&process.address, order, number)?);
    }
    for round in 0..=rounds.count {
        for page in &mut pages {
            let ask = Ask::Page(&page.path);
            if round == 0 {
                load::run(&process, ask, 0, rounds.warm_up(), || ())?;
                continue;
            }
            let measured = Round::run(&process, ask, round, rounds.time)?;
            if measured.failed > 0 {
                return Err(format!("{} requests for {} failed", measured.failed, page.path).into());
            }
            page.rounds.push(measured);
        }
    }
    let outcome = |page: &Measured| Page {
        database,
        work: "page",
        server: Server::Backend,
        rows,
        order: page.order,
        number: page.number,
        by: page.by,
        requests_per_second: median(&page.rounds, |round| round.requests_per_second),
        p50_ms: median(&page.rounds, |round| round.p50_ms),
        p99_ms: median(&page.rounds, |round| round.p99_ms),
        cpu_micros: median(&page.rounds, |round| round.cpu_micros),
    };
    Ok(pages.iter().map(outcome).collect())
}

/// Returns the first page by cursor, and a distant one by cursor and by offset, which must be equal.
fn pages_of(address: &str, order: &'static str, number: u64) -> Result<Vec<Measured>, Failure> {
    let before = (number - 1) * SIZE;
    let cursor = cursor_after(address, order, before)?;
    let pages = [
        (1, By::Cursor, "cursor=".to_owned()),
        (number, By::Cursor, format!("cursor={cursor}")),
        (number, By::Offset, format!("offset={before}")),
    ];
    let pages = pages.map(|(number, by, place)| Measured {
        order,
        number,
        by,
        path: format!("{ARTICLES}?sort={order}&limit={SIZE}&{place}"),
        rounds: Vec::new(),
    });
    let mut client = Client::connect(address)?;
    let mut body = |page: &Measured| {
        let mut request = Vec::new();
        list(&mut request, &page.path);
        answer(&mut client, &request)
    };
    if body(&pages[1])? == body(&pages[2])? {
        Ok(pages.into())
    } else {
        Err(format!("page {number} by {order} differs by cursor and by offset").into())
    }
}

/// Returns the cursor after this number of rows, by following pages.
fn cursor_after(address: &str, order: &str, rows: u64) -> Result<String, Failure> {
    let (mut cursor, mut passed) = (String::new(), 0);
    while passed < rows {
        let step = STEP.min(rows - passed);
        let path = format!("{ARTICLES}?sort={order}&fields=id&limit={step}&cursor={cursor}");
        cursor = next_cursor(address, &path)?;
        passed += step;
    }
    Ok(cursor)
}

/// Returns the cursor of the next page from the headers.
fn next_cursor(address: &str, path: &str) -> Result<String, Failure> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let head = answer.split("\r\n\r\n").next().unwrap_or_default();
    let next = head
        .split_once("rel=\"next\"")
        .and_then(|(links, _)| links.rsplit_once('<'))
        .and_then(|(_, link)| link.split_once("cursor="));
    let (_, cursor) = next.ok_or_else(|| format!("{path} has no next page:\n{head}"))?;
    let end = cursor.find(['&', '>']).ok_or("a link has no end")?;
    Ok(cursor[..end].to_owned())
}
