//! The program as a server: its limits, and the files that a failed start leaves.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use tempfile::TempDir;

use crate::library::{command, manage, printed, refused, run, run_with};

/// A running program, killed on drop.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Serves on a free port.
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut child = command(folder, &arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test program starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut lines = output.lines().map_while(std::io::Result::ok);
        // The program is a test, whose name may be in the same line.
        let address = lines.find_map(|line| Some(line.split_once("http://")?.1.to_owned()));
        let address = address.expect("an address");
        let address = address.split(',').next().expect("a part").to_owned();
        Self { child, address }
    }

    /// Sends a request with a number of headers, and returns the first line of the response.
    fn status(&self, headers: usize) -> String {
        let mut connection = TcpStream::connect(&self.address).expect("a connection");
        let headers: String = (1..headers).map(|number| format!("X-{number}: y\r\n")).collect();
        let request = format!("GET /api/v1/books HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n");
        connection
            .write_all(request.as_bytes())
            .expect("the server reads");
        let mut answer = String::new();
        let _ = connection.read_to_string(&mut answer);
        answer.lines().next().unwrap_or_default().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// LOAD-54: limits and timeouts of the server are settings; `config` prints them with their sources and defaults, and an
/// impossible or misspelt one is refused.
#[test]
fn limits_and_timeouts_are_settings() {
    let folder = TempDir::new().unwrap();
    let file = "max_connections_per_address = 100\nrequest_timeout_seconds = 20\n";
    std::fs::write(folder.path().join("my-library.toml"), file).unwrap();
    let environment = [("MY_LIBRARY_KEEP_ALIVE_TIMEOUT_SECONDS", "120")];
    let arguments = ["config", "--memory-budget-mib", "256"];
    let text = printed(&run_with(folder.path(), &arguments, &environment, ""));
    for line in [
        "max_connections_per_address = \"100\"  # my-library.toml",
        "request_timeout_seconds = \"20\"  # my-library.toml",
        "keep_alive_timeout_seconds = \"120\"  # MY_LIBRARY_KEEP_ALIVE_TIMEOUT_SECONDS",
        "memory_budget_mib = \"256\"  # argument",
        "# body_limit_kib is not set: that of the application by default, or 2,048",
        "# max_header_kib is not set: that of the application by default, or 128",
        "# searches_per_caller is not set: that of the application by default, or 4",
        "# shutdown_timeout_seconds is not set: that of the application by default, or 30",
    ] {
        assert!(
            text.lines().any(|printed| printed == line),
            "no {line:?} in\n{text}"
        );
    }
    let misspelt = [("MY_LIBRARY_KEEP_ALIVE_TIMEOUT", "120")];
    let message = refused(&run_with(folder.path(), &["config"], &misspelt, ""), 1);
    assert!(
        message.contains("did you mean `MY_LIBRARY_KEEP_ALIVE_TIMEOUT_SECONDS`?"),
        "{message}"
    );
    for impossible in [
        "--max-connections=0",
        "--memory-budget-mib=0",
        "--max-headers=100000",
    ] {
        let message = refused(&run(folder.path(), &["config", impossible]), 2);
        assert!(
            message.contains(impossible.split('=').next().unwrap()),
            "{message}"
        );
    }
}

/// LOAD-54: the help has the limits under a heading of their own, and no other option.
#[test]
fn the_help_groups_the_limits() {
    let mut program = manage().command_line();
    let help = program.render_help().to_string();
    let (options, limits) = help.split_once("Limits and timeouts:").unwrap();
    assert!(limits.contains("--max-connections-per-address") && !options.contains("--max-connections"));
    for option in ["--config", "--log", "--listen", "--version"] {
        assert!(
            options.contains(option) && !limits.contains(option),
            "{option} in {help}"
        );
    }
}

/// LOAD-54: the server of the application has its limits, which settings replace.
#[test]
fn settings_replace_the_limits_of_the_application() {
    let folder = TempDir::new().unwrap();
    // The application permits 20 headers.
    let server = Server::start(folder.path(), &[]);
    assert!(server.status(10).contains(" 200 "));
    assert!(server.status(30).contains(" 431 "));
    drop(server);
    let server = Server::start(folder.path(), &["--max-headers", "40"]);
    assert!(server.status(30).contains(" 200 "));
    assert!(server.status(50).contains(" 431 "));
}

/// LOAD-6: a start that fails closes the database, which is then one file.
#[test]
fn a_start_that_fails_leaves_one_file() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, option) in [
        (&["serve", "--listen", &taken][..], "--listen"),
        (
            &["serve", "--listen", "127.0.0.1:0", "--metrics-listen", &taken],
            "--metrics-listen",
        ),
    ] {
        let folder = TempDir::new().unwrap();
        let message = refused(&run(folder.path(), arguments), 1);
        assert!(
            message.contains(&format!("choose another address with {option}")),
            "{message}"
        );
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["my-library.db"], "{option}");
    }
}
