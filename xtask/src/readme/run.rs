//! Runs the shell code of README.md in order.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::block::{Kind, blocks};

use crate::scratch::Scratch;
use crate::server::ServerProcess;
use crate::workspace::{Outcome, read, remove_cargo_variables};

/// Runs all shell code in the workspace's folder, with a temporary database.
pub(crate) fn run(root: &Path) -> Outcome {
    let page = read(&root.join("README.md"))?;
    let scratch = Scratch::new()?;
    let database = format!("sqlite:{}", scratch.path().join("readme.db").display());
    let mut servers: Vec<ServerProcess> = Vec::new();
    let mut count = 0;
    for block in blocks(&page) {
        let place = |message: String| format!("README.md:{}: {message}", block.line);
        println!("\n-- README.md:{}\n{}", block.line, block.script.trim_end());
        let mut bash = Command::new("bash");
        bash.args(["-euo", "pipefail", "-c", &block.script])
            .current_dir(root)
            .env("BACKEND_DATABASE", &database)
            .stdin(Stdio::null());
        remove_cargo_variables(&mut bash);
        match block.kind().map_err(place)? {
            Kind::Ourselves => println!("(this is what runs the page)"),
            Kind::Server(address) => {
                if let Some(earlier) = servers.iter().position(|server| server.address == address) {
                    servers.remove(earlier).stop().map_err(place)?;
                }
                servers.push(ServerProcess::start(bash.process_group(0), &address).map_err(place)?);
            }
            Kind::Commands => {
                let status = bash
                    .status()
                    .map_err(|error| place(format!("cannot start bash: {error}")))?;
                if !status.success() {
                    return Err(place(format!("the block ended with {status}")));
                }
                println!();
            }
        }
        count += 1;
    }
    for server in &mut servers {
        server.stop().map_err(|message| format!("README.md: {message}"))?;
    }
    println!("{count} blocks of README.md work");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Outcome {
        let scratch = Scratch::new().unwrap();
        scratch.write("README.md", text);
        run(scratch.path())
    }

    #[test]
    fn commands_that_succeed_pass() {
        assert_eq!(
            page("```sh\ntest -f README.md\necho \"$BACKEND_DATABASE\" | grep -q '^sqlite:/'\n```\n"),
            Ok(())
        );
    }

    #[test]
    fn the_first_command_that_fails_fails_the_page() {
        let message = page("# Title\n\n```console\n$ false\n$ true\n```\n").unwrap_err();
        assert!(message.starts_with("README.md:3: "), "{message}");
    }

    #[test]
    fn a_page_that_is_missing_is_an_error() {
        assert!(run(Scratch::new().unwrap().path()).is_err());
    }
}
