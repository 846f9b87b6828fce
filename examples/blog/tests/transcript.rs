//! Checks that `transcript.md` matches the output of `curl` when its commands are sent to the running blog, in order.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use test_support::TestDatabase;

/// The blog as a process, stopped on drop.
struct Blog {
    process: Child,
    address: String,
    _database: TestDatabase,
}

impl Blog {
    fn start() -> Self {
        let database = TestDatabase::create();
        let mut process = Command::new(env!("CARGO_BIN_EXE_blog"))
            .args(["127.0.0.1:0", &database.url_or_in_memory()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the blog starts");
        let mut line = String::new();
        let out = process.stdout.take().expect("stdout is piped");
        BufReader::new(out)
            .read_line(&mut line)
            .expect("the blog prints its address");
        let address = line.trim_end().strip_prefix("listening at http://");
        Self {
            address: address
                .unwrap_or_else(|| panic!("the blog printed {line:?}"))
                .to_owned(),
            process,
            _database: database,
        }
    }

    /// Runs a command of the transcript and returns its output.
    fn output(&self, command: &str) -> String {
        let command = command.replace("localhost:8000", &self.address);
        let output = Command::new("bash")
            .args(["-c", &command])
            .output()
            .expect("bash runs");
        assert!(output.status.success(), "{command}: {output:?}");
        String::from_utf8(output.stdout).expect("curl prints text")
    }
}

impl Drop for Blog {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the commands of the transcript with their output.
fn exchanges(transcript: &str) -> Vec<(String, String)> {
    let mut exchanges: Vec<(String, String)> = Vec::new();
    let mut in_console = false;
    for line in transcript.lines() {
        match (
            line.strip_prefix("```"),
            line.strip_prefix("$ "),
            exchanges.last_mut(),
        ) {
            (Some(language), _, _) => in_console = language == "console",
            (None, Some(command), _) if in_console => exchanges.push((command.to_owned(), String::new())),
            (None, None, Some((_, output))) if in_console => {
                output.push_str(line);
                output.push('\n');
            }
            _ => {}
        }
    }
    exchanges
}

#[test]
fn the_transcript_is_what_curl_prints() {
    let transcript = include_str!("../transcript.md");
    let exchanges = exchanges(transcript);
    assert!(exchanges.len() > 20, "the transcript shows too few requests");
    let blog = Blog::start();
    for (command, expected) in exchanges {
        assert_eq!(blog.output(&command).trim_end(), expected.trim_end(), "{command}");
    }
}
