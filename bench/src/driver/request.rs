//! The requests of each workload, the same for every server.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use super::rows;
use crate::outcome::{LINES, Work};

/// Rows of the table, unless the workload uses a short one.
pub(super) const ROWS: u64 = 10_000;
/// Rows of the short table.
pub(super) const FEW: u64 = 100;
/// Number of concurrent clients, unless a measurement is about fewer.
pub(super) const CLIENTS: usize = 32;
/// URL of all articles.
pub(super) const ARTICLES: &str = "/api/v1/articles";

/// Returns the number of rows in the workload's table.
pub(super) fn rows_of(work: Work) -> u64 {
    match work {
        Work::List100 | Work::Expanded100 | Work::Tagged100 | Work::Line | Work::Invoice => FEW,
        // A minimum; the length of the long table depends on the run.
        Work::Filtered => ROWS,
        Work::Get | Work::List10000 | Work::Create | Work::Patch | Work::Mixed => ROWS,
    }
}

/// Returns the list that the workload requests.
pub(super) fn list_of(work: Work) -> Option<&'static str> {
    match work {
        Work::List100 | Work::List10000 => Some(ARTICLES),
        Work::Expanded100 => Some("/api/v1/articles?expand=category"),
        Work::Tagged100 => Some("/api/v1/articles?expand=tags"),
        Work::Filtered => Some("/api/v1/articles?published=true&rating[gte]=4&sort=-createdAt&limit=50"),
        Work::Get | Work::Create | Work::Patch | Work::Mixed | Work::Line | Work::Invoice => None,
    }
}

/// The requests of a load.
#[derive(Clone, Copy)]
pub(super) enum Ask<'a> {
    /// A workload by this number of concurrent clients.
    Articles(Work, usize),
    /// One list or page, requested repeatedly by a single client.
    Page(&'a str),
    /// One list in this media type.
    List(&'a str, &'a str),
    /// Rows by their keys, from the first `models` models.
    Things { models: u64, rows: u64 },
}

impl Ask<'_> {
    /// Number of concurrent clients.
    pub(super) fn clients(self) -> usize {
        match self {
            Self::Articles(Work::List10000, _) => 8,
            Self::Articles(_, clients) => clients,
            Self::Page(_) => 1,
            Self::List(..) | Self::Things { .. } => CLIENTS,
        }
    }
}

/// Whether requests have an `Idempotency-Key`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    None,
    /// Random ones, as UUIDs of version 4.
    Random,
    /// Ones that begin with the time, as UUIDs of version 7.
    ByTime,
}

/// A fixed sequence of requests.
pub(super) struct Requests<'a> {
    ask: Ask<'a>,
    state: u64,
    token: Option<&'a str>,
    keys: Keys,
    bytes: Vec<u8>,
}

impl<'a> Requests<'a> {
    /// Creates the sequence of one client. Each client's number determines its sequence.
    pub(super) fn new(ask: Ask<'a>, client: u64, token: Option<&'a str>) -> Self {
        Self {
            ask,
            state: 0x9e37_79b9_7f4a_7c15 ^ (client + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9),
            token,
            keys: Keys::None,
            bytes: Vec::with_capacity(1024),
        }
    }

    /// Sends such an `Idempotency-Key` with each request.
    pub(super) fn with_keys(self, keys: Keys) -> Self {
        Self { keys, ..self }
    }

    pub(super) fn next(&mut self) -> &[u8] {
        self.bytes.clear();
        match self.ask {
            Ask::Articles(Work::Get, _) => self.get(),
            Ask::Articles(
                work @ (Work::List100
                | Work::List10000
                | Work::Expanded100
                | Work::Tagged100
                | Work::Filtered),
                _,
            ) => {
                list(&mut self.bytes, list_of(work).unwrap_or(ARTICLES));
            }
            Ask::Page(path) => list(&mut self.bytes, path),
            Ask::List(path, media_type) => list_as(&mut self.bytes, path, media_type),
            Ask::Articles(Work::Create, _) => self.create(),
            Ask::Articles(Work::Patch, _) => self.patch(),
            Ask::Articles(Work::Line, _) => self.line(),
            Ask::Articles(Work::Invoice, _) => self.invoice(),
            Ask::Articles(Work::Mixed, _) => match self.random(20) {
                0 => self.patch(),
                _ => self.get(),
            },
            Ask::Things { models, rows } => {
                let (model, id) = (self.random(models), self.random(rows) + 1);
                thing(&mut self.bytes, model, id);
            }
        }
        authorize(&mut self.bytes, self.token);
        // The state is that of one client, and no other request has it.
        match self.keys {
            Keys::None => {}
            Keys::Random => insert_header(&mut self.bytes, &format!("Idempotency-Key: {:032x}", self.state)),
            Keys::ByTime => {
                let now = SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .map_or(0, |now| now.as_millis());
                let key =
                    (now & 0xffff_ffff_ffff) << 80 | 0x7 << 76 | 0b10 << 62 | u128::from(self.state >> 2);
                insert_header(&mut self.bytes, &format!("Idempotency-Key: {key:032x}"));
            }
        }
        &self.bytes
    }

    fn get(&mut self) {
        let id = self.random(ROWS) + 1;
        get(&mut self.bytes, id);
    }

    fn create(&mut self) {
        let number = self.random(1_000_000);
        let body = format!(
            "{{\"title\":\"The made article {number}\",\"body\":\"{}\",\"summary\":\"About the {number}th.\",\
             \"published\":true,\"rating\":{}.5,\"price\":\"{}.99\",\"publishDate\":\"2024-02-29\",\"categoryId\":{}}}",
            "a few words of a text that is not long ".repeat(3),
            number % 5,
            number % 100,
            number % 4 + 1,
        );
        send(&mut self.bytes, "POST", ARTICLES, &body);
    }

    fn patch(&mut self) {
        let (id, number) = (self.random(ROWS) + 1, self.random(1000));
        let body = format!(
            "{{\"summary\":\"Changed for the {number}th time.\",\"rating\":{}.25}}",
            number % 5
        );
        send(&mut self.bytes, "PATCH", &format!("{ARTICLES}/{id}"), &body);
    }

    fn line(&mut self) {
        let number = self.random(1_000_000);
        let invoice = self.random(rows::INVOICES) + 1;
        let body = line(number, &format!("\"invoiceId\":{invoice},"));
        send(&mut self.bytes, "POST", "/api/v1/lines", &body);
    }

    fn invoice(&mut self) {
        let number = self.random(1_000_000);
        let lines: Vec<String> = (0..LINES).map(|each| line(number + each, "")).collect();
        let body = format!("{{\"number\":\"{number}\",\"lines\":[{}]}}", lines.join(","));
        send(&mut self.bytes, "POST", "/api/v1/invoices", &body);
    }

    /// The xorshift generator: the same numbers in every run.
    fn random(&mut self, below: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % below
    }
}

/// Inserts the header with a token into a request.
pub(super) fn authorize(request: &mut Vec<u8>, token: Option<&str>) {
    if let Some(token) = token {
        insert_header(request, &format!("Authorization: Bearer {token}"));
    }
}

/// Inserts a header into a request, before the others.
fn insert_header(request: &mut Vec<u8>, header: &str) {
    if let Some(line) = memchr::memchr(b'\n', request) {
        request.splice(line + 1..line + 1, format!("{header}\r\n").into_bytes());
    }
}

pub(super) fn get(out: &mut Vec<u8>, id: u64) {
    out.extend_from_slice(b"GET /api/v1/articles/");
    key(out, id);
}

/// Appends the URL of a row of the model with this number.
pub(super) fn thing(out: &mut Vec<u8>, model: u64, id: u64) {
    out.extend_from_slice(b"GET /api/v1/group");
    out.extend_from_slice(itoa::Buffer::new().format(model).as_bytes());
    out.extend_from_slice(b"/things/");
    key(out, id);
}

fn key(out: &mut Vec<u8>, id: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(id).as_bytes());
    out.extend_from_slice(b" HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

pub(super) fn list(out: &mut Vec<u8>, path: &str) {
    out.extend_from_slice(b"GET ");
    out.extend_from_slice(path.as_bytes());
    out.extend_from_slice(b" HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

/// Appends the request for a list in this media type.
pub(super) fn list_as(out: &mut Vec<u8>, path: &str, media_type: &str) {
    let _ = write!(
        out,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {media_type}\r\n\r\n"
    );
}

fn line(number: u64, invoice: &str) -> String {
    format!(
        "{{{invoice}\"text\":\"The line {number}\",\"cents\":{}}}",
        number % 10_000 + 1
    )
}

fn send(out: &mut Vec<u8>, method: &str, path: &str, body: &str) {
    let _ = write!(
        out,
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
}
