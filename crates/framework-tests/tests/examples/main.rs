//! Every example does what its documentation shows. The test sends the `curl` lines to the running example, and
//! compares the responses with the lines below each: `# STATUS BODY`, further lines of the body, and headers after
//! `curl -i`. A line `TOKEN=$(curl .. | jq -r .token)` keeps the token of a response for later lines.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use test_support::TestDatabase;

#[test]
fn hello_does_what_its_documentation_shows() {
    assert_documented("hello");
}

#[test]
fn custom_operation_does_what_its_documentation_shows() {
    assert_documented("custom_operation");
}

#[test]
fn custom_decorator_does_what_its_documentation_shows() {
    assert_documented("custom_decorator");
}

#[test]
fn custom_serializer_does_what_its_documentation_shows() {
    assert_documented("custom_serializer");
}

#[test]
fn serializer_hooks_does_what_its_documentation_shows() {
    assert_documented("serializer_hooks");
}

#[test]
fn custom_representation_does_what_its_documentation_shows() {
    assert_documented("custom_representation");
}

#[test]
fn transaction_does_what_its_documentation_shows() {
    assert_documented("transaction");
}

#[test]
fn nested_urls_does_what_its_documentation_shows() {
    assert_documented("nested_urls");
}

#[test]
fn relations_does_what_its_documentation_shows() {
    assert_documented("relations");
}

#[test]
fn accounts_does_what_its_documentation_shows() {
    assert_documented("accounts");
}

/// Fails for an example without a test, because nothing would notice if it broke.
#[test]
fn every_example_is_tested() {
    let tests = include_str!("main.rs");
    for path in sources() {
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        let call = format!("assert_documented(\"{name}\")");
        assert!(tests.contains(&call), "no test calls {call}");
    }
}

/// Runs an example and compares its responses with those in its documentation.
fn assert_documented(name: &str) {
    let source = sources()
        .into_iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem == name))
        .and_then(|path| fs::read_to_string(path).ok())
        .expect("an example has a source");
    let exchanges = documented(&source);
    assert!(exchanges.len() > 2, "{name} shows too few requests");
    let example = Example::start(name);
    let mut token = String::new();
    for Exchange { curl, expected } in exchanges {
        match curl
            .strip_prefix("TOKEN=$(")
            .and_then(|line| line.strip_suffix(" | jq -r .token)"))
        {
            Some(login) => token = token_in(&example.send(login)),
            None => {
                let shown = example.send(&curl.replace("$TOKEN", &token));
                assert_eq!(shown, expected, "{name}: {curl}");
            }
        }
    }
}

/// Token in a response.
fn token_in(shown: &str) -> String {
    let (status, body) = shown.split_once(' ').expect("a status and a body");
    assert_eq!(status, "200", "{body}");
    let body: serde_json::Value = serde_json::from_str(body).expect("a login answers with JSON");
    body["token"].as_str().expect("a login gives a token").to_owned()
}

/// `curl` line of the documentation, with the response below it.
struct Exchange {
    curl: String,
    expected: String,
}

fn documented(source: &str) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.trim();
        if line.starts_with("curl ") || line.starts_with("TOKEN=$(curl ") {
            exchanges.push(Exchange {
                curl: line.to_owned(),
                expected: String::new(),
            });
        } else if let (Some(answer), Some(exchange)) = (line.strip_prefix("# "), exchanges.last_mut()) {
            exchange.expected += answer;
            exchange.expected += "\n";
        }
    }
    exchanges
}

/// Sources of the examples of all crates.
fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["model-resource/examples", "security/examples"].map(|folder| crates.join(folder));
    let files = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("a crate with examples"));
    files
        .map(|file| file.expect("a folder can be read").path())
        .collect()
}

/// Whether a program exists and is newer than all its sources, which cargo lists in a file next to it. With `--test
/// examples` alone cargo builds no examples, and an old one would be tested.
fn is_up_to_date(program: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let (Some(built), Ok(list)) = (changed(program), fs::read_to_string(program.with_extension("d"))) else {
        return false;
    };
    let sources = list.split_once(": ").map_or("", |(_, sources)| sources);
    // A space inside a path is written as `\ `.
    let sources = sources.replace("\\ ", "\0");
    sources.split_whitespace().all(|source| {
        let source = source.replace('\0', " ");
        changed(Path::new(&source)).is_some_and(|changed| changed <= built)
    })
}

/// Running example, stopped at the end of its test.
struct Example {
    process: Child,
    address: String,
    _database: TestDatabase,
}

impl Example {
    fn start(name: &str) -> Self {
        let test = std::env::current_exe().expect("a test knows where it is");
        let profile = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
        let program = profile
            .join("examples")
            .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        assert!(
            is_up_to_date(&program),
            "{name} is not built, or older than its sources: run `cargo build --workspace --examples` first; \
             `cargo test` without a choice of targets builds it itself"
        );
        let database = TestDatabase::create();
        let mut process = Command::new(&program)
            .args(["127.0.0.1:0", &database.url_or_in_memory()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a program that was built starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("stdout is piped"))
            .read_line(&mut line)
            .expect("an example prints text");
        let address = line
            .trim_end()
            .strip_prefix("listening at http://")
            .unwrap_or_else(|| panic!("{name} printed {line:?}"))
            .to_owned();
        Self {
            process,
            address,
            _database: database,
        }
    }

    /// Sends the request of a `curl` line, and returns the response in the format of the documentation.
    fn send(&self, curl: &str) -> String {
        let request = Request::parse(curl);
        let mut stream = TcpStream::connect(&self.address).expect("an example listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .expect("a socket takes a time limit");
        stream
            .write_all(request.text(&self.address).as_bytes())
            .expect("an example reads the request");
        let mut response = String::new();
        stream
            .read_to_string(&mut response)
            .expect("an example answers with text");
        let (head, body) = response
            .split_once("\r\n\r\n")
            .expect("a response has a head and a body");
        let mut head = head.lines();
        let status = head
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .expect("a response has a status");
        let mut shown = format!("{status} {body}").trim_end().to_owned() + "\n";
        for header in head.filter(|header| request.shows(header)) {
            shown += header;
            shown += "\n";
        }
        shown
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Request of a `curl` line.
#[derive(Default)]
struct Request {
    method: Option<String>,
    path: String,
    headers: Vec<String>,
    body: String,
    shows_headers: bool,
}

impl Request {
    fn parse(curl: &str) -> Self {
        let mut request = Self::default();
        let mut words = words(curl).into_iter().skip(1);
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .unwrap_or_else(|| panic!("{word} needs a value: {curl}"))
            };
            match word.as_str() {
                "-X" => request.method = Some(value()),
                "-H" => request.headers.push(value()),
                "-i" => request.shows_headers = true,
                // Brackets in the URL are literal.
                "-g" => {}
                "--json" => {
                    request.body = value();
                    request.method.get_or_insert_with(|| "POST".to_owned());
                    request.headers.push("Content-Type: application/json".to_owned());
                    request.headers.push("Accept: application/json".to_owned());
                }
                url => {
                    let path = url.strip_prefix("localhost:8000");
                    request.path = path.unwrap_or_else(|| panic!("not understood: {url}")).to_owned();
                }
            }
        }
        request
    }

    fn text(&self, host: &str) -> String {
        let method = self.method.as_deref().unwrap_or("GET");
        let mut text = format!(
            "{method} {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n",
            self.path,
            self.body.len()
        );
        for header in &self.headers {
            text += header;
            text += "\r\n";
        }
        text + "\r\n" + &self.body
    }

    /// Whether the documentation shows this header: `-i` shows those that are specific to the example.
    fn shows(&self, header: &str) -> bool {
        let common = [
            "connection:",
            "content-length:",
            "date:",
            "etag:",
            "vary:",
            "x-content-type-options:",
            "x-request-id:",
        ];
        let is_json = header == "content-type: application/json";
        self.shows_headers && !is_json && !common.iter().any(|name| header.starts_with(name))
    }
}

/// Splits like a shell, as far as quotes go.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().expect("there is a word").push(character),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
