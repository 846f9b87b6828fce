//! Operations: the access log, metrics and trace contexts.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_support::{Client, Process, RawConnection, TestDatabase};

use crate::serve;

/// Ends a process and returns the access lines of its log.
fn access_lines(mut process: Process) -> Vec<String> {
    process.signal("TERM");
    let (status, log) = process.wait();
    assert!(status.success(), "{log}");
    let is_access = |line: &&str| line.contains("access");
    log.lines().filter(is_access).map(str::to_owned).collect()
}

/// LOAD-43: every request has a line with its method, path, route, status, user, client address and id, and without the
/// query.
#[tokio::test]
async fn every_request_has_a_line_in_the_access_log() {
    let database = TestDatabase::create();
    let mut command = serve::command(&database.url());
    let process = Process::start(command.args(["--trusted-proxies", "127.0.0.1"]));
    let admin = serve::admin(&process, &database.url()).await;
    let named = admin.with_header("x-request-id", "first-1");
    let category = json!({"name": "Rust"});
    named.post("/api/v1/categories", category).await.expect(201);
    let anonymous = process.client.with_header("x-forwarded-for", "198.51.100.7");
    let list = anonymous.with_header("x-request-id", "second-2");
    list.get("/api/v1/tags?name=my-secret").await.expect(200);
    process.client.get("/nowhere/else").await.expect(404);
    let lines = access_lines(process);
    let [first, second, third] = &lines[..] else {
        panic!("not three lines: {lines:?}");
    };
    for part in [
        " INFO ",
        "request{id=first-1}",
        "method=\"POST\"",
        "path=\"/api/v1/categories\"",
        "route=\"/api/v1/categories\"",
        "status=201",
        "user=\"-1\"",
        "client=127.0.0.1",
        "ms=",
    ] {
        assert!(first.contains(part), "no {part} in {first}");
    }
    for part in [
        "request{id=second-2}",
        "status=200",
        "bytes=11 ",
        "user=\"-\"",
        "client=198.51.100.7",
    ] {
        assert!(second.contains(part), "no {part} in {second}");
    }
    assert!(!second.contains("secret"), "{second}");
    for part in ["path=\"/nowhere/else\"", "route=\"other\"", "status=404"] {
        assert!(third.contains(part), "no {part} in {third}");
    }
}

/// LOAD-43, LOAD-46: a head that the server rejects has a line with its status and client, and is counted.
#[tokio::test]
async fn a_rejected_head_has_a_line_in_the_access_log_and_is_counted() {
    let database = TestDatabase::create();
    let (process, address) = with_metrics(&database);
    // The server may respond before it has read everything. A client that still sends then may lose the response, but not
    // to a head that is sent at once.
    for (head, status) in [
        (
            format!(
                "GET / HTTP/1.1\r\nHost: x\r\nX-Secret: {}\r\n\r\n",
                "y".repeat(200_000)
            ),
            431,
        ),
        (
            format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "X-A: y\r\n".repeat(120)),
            431,
        ),
        (
            format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "y".repeat(70_000)),
            414,
        ),
        ("GET / HTTP/1.1\r\nHost x\r\n\r\n".to_owned(), 400),
    ] {
        let mut connection = RawConnection::connect(process.address).await;
        let is_short = head.len() < 4096;
        let _ = connection.send(head).await;
        let answer = connection.read_head().await;
        assert!(
            !is_short && answer.is_empty() || answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{status}: {answer:?}"
        );
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    // The connection ends after the response.
    while !metrics(address)
        .await
        .contains("\nserver_heads_rejected_total 4\n")
    {
        assert!(Instant::now() < deadline, "{}", metrics(address).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let lines = access_lines(process);
    // The line is written when the connection has ended, and connections end in any order.
    let mut statuses: Vec<_> = lines
        .iter()
        .filter_map(|line| line.split("status=").nth(1)?.get(..3))
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["400", "414", "431", "431"], "{lines:?}");
    for part in [" INFO ", "route=\"-\"", "user=\"-\"", "client=127.0.0.1"] {
        assert!(lines[0].contains(part), "no {part} in {}", lines[0]);
    }
}

/// LOAD-43: a list of unknown length is logged with the bytes that were sent, and the filter disables the lines.
#[tokio::test]
async fn long_lists_are_logged_with_their_bytes_and_the_lines_can_be_disabled() {
    let database = TestDatabase::create();
    let process = serve::start(&database);
    let admin = serve::admin(&process, &database.url()).await;
    for number in 0..10 {
        let article =
            json!({"title": format!("Article {number}"), "body": "x".repeat(20_000), "published": true});
        admin.post("/api/v1/articles", article).await.expect(201);
    }
    let list = admin.get("/api/v1/articles").await.expect(200);
    assert!(
        list.headers.get("content-length").is_none(),
        "it would not be streamed"
    );
    let lines = access_lines(process);
    let bytes = format!("bytes={} ", list.body.len());
    assert!(lines[10].contains(&bytes), "no {bytes} in {}", lines[10]);

    let mut command = serve::command(&database.url());
    let process = Process::start(command.args(["--log", "info,access=off"]));
    process.client.get("/api/v1/tags").await.expect(200);
    assert_eq!(access_lines(process), Vec::<String>::new());
}

/// LOAD-44: with `--log-format json` each line is an object.
#[tokio::test]
async fn the_log_can_be_json() {
    let database = TestDatabase::create();
    let mut command = serve::command(&database.url());
    let process = Process::start(command.args(["--log-format", "json"]));
    let named = process.client.with_header("x-request-id", "third-3");
    named.get("/api/v1/tags").await.expect(200);
    let lines = access_lines(process);
    let line: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(line["target"], "access");
    assert_eq!(line["level"], "INFO");
    assert_eq!(line["status"], 200);
    assert_eq!(line["route"], "/api/v1/tags");
    assert_eq!(line["span"]["id"], "third-3");
}

/// LOAD-45: the trace of a client is continued in the log and the response; a malformed header starts a new trace.
#[tokio::test]
async fn the_trace_of_a_client_is_continued() {
    let database = TestDatabase::create();
    let process = serve::start(&database);
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let sent = format!("00-{trace}-b7ad6b7169203331-01");
    let traced = process.client.with_header("traceparent", &sent);
    let answer = traced.get("/api/v1/tags").await.expect(200);
    let returned = answer.header("traceparent");
    assert!(returned.starts_with(&format!("00-{trace}-")) && returned.ends_with("-01"));
    assert_ne!(returned, sent, "the span is that of the client");
    let malformed = process.client.with_header("traceparent", "00-xyz");
    let answer = malformed.get("/api/v1/tags").await.expect(200);
    assert_eq!(answer.header("traceparent").len(), 55);
    let plain = process.client.get("/api/v1/tags").await.expect(200);
    assert!(plain.headers.get("traceparent").is_none());
    let lines = access_lines(process);
    assert!(lines[0].contains(trace), "{}", lines[0]);
}

async fn metrics(address: SocketAddr) -> String {
    Client::new(address).get("/metrics").await.expect(200).text()
}

/// Starts the program with metrics at a free address, which it returns.
fn with_metrics(database: &TestDatabase) -> (Process, SocketAddr) {
    let mut command = serve::command(&database.url());
    let process = Process::start(command.args(["--metrics-listen", "127.0.0.1:0"]));
    let address = process.logged_address("metrics are served");
    (process, address)
}

/// LOAD-46: requests are counted by route, method, operation and status, at an address of their own.
#[tokio::test]
async fn requests_are_counted_by_route_and_status() {
    let database = TestDatabase::create();
    let (process, address) = with_metrics(&database);
    for _ in 0..3 {
        process.client.get("/api/v1/tags").await.expect(200);
    }
    process.client.get("/api/v1/tags/7").await.expect(404);
    process
        .client
        .post("/api/v1/tags", json!({"name": ""}))
        .await
        .expect(400);
    process.client.get("/metrics").await.expect(404);
    let answer = Client::new(address).get("/metrics").await.expect(200);
    assert!(answer.header("content-type").starts_with("text/plain"));
    let text = answer.text();
    let list = "route=\"/api/v1/tags\",method=\"GET\",operation=\"list\"";
    for line in [
        format!("http_requests_total{{{list},status=\"200\"}} 3\n"),
        format!("http_request_duration_seconds_count{{{list}}} 3\n"),
        format!("http_request_duration_seconds_bucket{{{list},le=\"+Inf\"}} 3\n"),
        format!("http_requests_in_flight{{{list}}} 0\n"),
        "route=\"/api/v1/tags/<int:id>\",method=\"GET\",operation=\"get\",status=\"404\"} 1\n".to_owned(),
        "operation=\"create\",status=\"400\"} 1\n".to_owned(),
        "route=\"other\",method=\"other\",operation=\"other\",status=\"404\"} 1\n".to_owned(),
        "\nprocess_resident_memory_bytes ".to_owned(),
        "\nprocess_open_fds ".to_owned(),
        "\nserver_connections ".to_owned(),
        "\nserver_memory_in_use_bytes ".to_owned(),
        "\nserver_memory_budget_bytes ".to_owned(),
        "\nserver_memory_waiting 0\n".to_owned(),
        "\nserver_memory_refused_total 0\n".to_owned(),
        "\ncpu_bound_jobs_waiting 0\n".to_owned(),
        "\ncpu_bound_jobs_refused_total 0\n".to_owned(),
        "\nbuild_info{version=".to_owned(),
    ] {
        assert!(text.contains(&line), "no {line} in {text}");
    }
}

/// LOAD-46, LOAD-68: the connections, waits, refusals and group commits of the store.
#[tokio::test]
async fn the_store_has_metrics_of_each_lane() {
    let database = TestDatabase::create();
    let (process, address) = with_metrics(&database);
    let tag = json!({"tag": {"name": "measured"}});
    process.client.post("/api/v1/tags", tag).await.expect(201);
    let text = metrics(address).await;
    for lane in ["reads", "searches", "writes"] {
        for (name, value) in [
            ("store_connections", ""),
            ("store_connections_idle", ""),
            ("store_waiting", "0\n"),
            ("store_waits_expired_total", "0\n"),
        ] {
            let line = format!("\n{name}{{lane=\"{lane}\"}} {value}");
            assert!(text.contains(&line), "no {line} in {text}");
        }
    }
    for line in [
        "\nstore_reads_total ",
        "\nstore_writes_total ",
        "\nstore_searches_refused_total 0\n",
        "\nstore_searches_interrupted_total 0\n",
        "\nstore_group_commits_total ",
        "\nstore_group_committed_writes_total ",
    ] {
        assert!(text.contains(line), "no {line} in {text}");
    }
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.trim().parse::<u64>().ok())
    };
    let commits = value("store_group_commits_total ");
    let histogram = value("store_group_commit_writes_count ");
    if database.is_postgres() {
        assert_eq!((commits, histogram), (Some(0), None));
        return;
    }
    assert_eq!(histogram, commits);
    assert!(commits >= Some(1), "{text}");
    assert!(text.contains("\n# TYPE store_group_commit_writes histogram\n"));
    assert_eq!(value("store_group_commit_writes_bucket{le=\"+Inf\"} "), commits);
    assert!(value("store_group_commit_writes_bucket{le=\"1\"} ") >= Some(1));
    assert_eq!(
        value("store_group_commit_writes_sum "),
        value("store_group_committed_writes_total ")
    );
}

/// LOAD-53: a slow statement is logged with its operation, table, duration and missing indexes, and its request's id.
#[tokio::test]
async fn a_slow_statement_is_logged_with_the_index_that_it_lacks() {
    let database = TestDatabase::create();
    let mut command = serve::command(&database.url());
    let mut process = Process::start(command.args(["--slow-statement-ms", "0"]));
    let named = process.client.with_header("x-request-id", "slow-4");
    named
        .get("/api/v1/articles?price[gte]=4&sort=price")
        .await
        .expect(200);
    tokio::time::sleep(Duration::from_millis(500)).await;
    process.signal("TERM");
    let (_, log) = process.wait();
    let lines: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("slow statement"))
        .collect();
    let [line] = lines[..] else {
        panic!("not one line: {log}");
    };
    for part in [
        " WARN ",
        "request{id=slow-4}",
        "operation=\"list\"",
        "table=\"articles\"",
        "no index",
        "price",
    ] {
        assert!(line.contains(part), "no {part} in {line}");
    }
}
