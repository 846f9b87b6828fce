//! Runs the shell commands of the pages in order.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use super::command::ShellCommand;
use super::output::has_lines;
use super::page::{Block, blocks};
use super::shell::PageShell;
use crate::server::ServerProcess;
use crate::workspace::{Outcome, compile_programs, pages, read, readmes};

/// Programs of the workspace that pages use by their names.
const PROGRAMS: [&str; 2] = ["backend", "model-resource"];

/// A page with commands.
struct Page {
    name: String,
    blocks: Vec<Block>,
}

/// Runs the commands of every page, or of those whose path contains one of the words.
pub(crate) fn run(root: &Path, words: &[&str]) -> Outcome {
    let mut pages = pages_with_commands(root)?;
    pages.retain(|page| words.is_empty() || words.iter().any(|word| page.name.contains(word)));
    if pages.is_empty() {
        return Err("no page has shell commands".to_owned());
    }
    let programs = compile_programs(root, &PROGRAMS)?;
    for page in &pages {
        page.run(&PageShell::new(root, &programs)?)?;
    }
    let count = |marked| -> usize {
        let blocks = pages.iter().flat_map(|page| &page.blocks);
        let blocks = blocks.filter(|block| block.marked == marked && !block.hidden);
        blocks.map(|block| block.commands.len()).sum()
    };
    println!(
        "{} commands of {} pages ran, {} are marked as `no_run`",
        count(false),
        pages.len(),
        count(true)
    );
    Ok(())
}

/// Returns the pages of the root and below `docs`, and the READMEs of the crates and the examples.
fn all_pages(root: &Path) -> Outcome<impl Iterator<Item = PathBuf>> {
    Ok(pages(root)?.into_iter().chain(readmes(root)?))
}

/// Returns every page with shell commands.
fn pages_with_commands(root: &Path) -> Outcome<Vec<Page>> {
    let pages = all_pages(root)?.map(|path| Page::read(root, &path));
    let pages: Vec<Page> = pages.collect::<Outcome<_>>()?;
    Ok(pages.into_iter().filter(|page| !page.blocks.is_empty()).collect())
}

impl Page {
    fn read(root: &Path, path: &Path) -> Outcome<Self> {
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let blocks = blocks(&read(path)?).map_err(|(line, message)| format!("{name}:{line}: {message}"))?;
        Ok(Self { name, blocks })
    }

    /// Runs the commands, and stops their servers.
    fn run(&self, shell: &PageShell) -> Outcome {
        let mut servers: Vec<ServerProcess> = Vec::new();
        for block in self.blocks.iter().filter(|block| !block.marked) {
            let mut responses = block.responses.clone();
            for command in &block.commands {
                println!("\n-- {}:{}\n{}", self.name, command.line, command.text);
                let place = |message: String| format!("{}:{}: {message}", self.name, command.line);
                match command.served_address() {
                    Some(address) => serve(shell, command, &address, &mut servers).map_err(place)?,
                    None => command.run(shell, &mut responses).map_err(place)?,
                }
            }
            if let Some(missing) = responses.first() {
                return Err(format!(
                    "{}:{}: no command prints this:\n{missing}",
                    self.name, block.line
                ));
            }
        }
        for server in &mut servers {
            server
                .stop()
                .map_err(|message| format!("{}: {message}", self.name))?;
        }
        Ok(())
    }
}

/// Starts a server, after an earlier one at the same address has stopped.
fn serve(
    shell: &PageShell,
    command: &ShellCommand,
    address: &str,
    servers: &mut Vec<ServerProcess>,
) -> Outcome {
    if let Some(earlier) = servers.iter().position(|server| server.address == address) {
        servers.remove(earlier).stop()?;
    }
    let mut bash = shell.server(&command.text);
    servers.push(ServerProcess::start(bash.process_group(0), address)?);
    Ok(())
}

impl ShellCommand {
    /// Runs the command and compares its output. It must succeed, unless the page shows what it prints.
    fn run(&self, shell: &PageShell, responses: &mut Vec<String>) -> Outcome {
        let ended = shell
            .command(&self.text)
            .output()
            .map_err(|error| format!("cannot start bash: {error}"))?;
        let output = String::from_utf8_lossy(&ended.stdout);
        println!("{}", output.trim_end());
        if !has_lines(&output, self.shown.iter().map(String::as_str)) {
            return Err(format!(
                "the command does not print this:\n{}",
                self.shown.join("\n")
            ));
        }
        let response = responses
            .iter()
            .position(|response| has_lines(&output, [response.as_str()]));
        let is_shown = response.is_some() || !self.shown.is_empty();
        if let Some(response) = response {
            responses.remove(response);
        }
        if ended.status.success() || is_shown {
            Ok(())
        } else {
            Err(format!("the command ended with {}", ended.status))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::scratch::Scratch;
    use crate::workspace;

    fn run(text: &str) -> Outcome {
        let root = Scratch::new().unwrap();
        root.write("README.md", text);
        let page = Page::read(root.path(), &root.path().join("README.md"))?;
        page.run(&PageShell::new(root.path(), Path::new("/nowhere"))?)
    }

    /// DOC-4: every page with commands is found, and each of its commands runs or is of the closed list.
    #[test]
    fn every_page_with_shell_commands_is_read() {
        let root = workspace::root();
        let found = pages_with_commands(&root).unwrap();
        assert!(found.len() > 5);
        for readme in ["README.md", "crates/cli/README.md", "examples/blog/README.md"] {
            assert!(found.iter().any(|page| page.name == readme), "{readme}");
        }
        for page in all_pages(&root).unwrap() {
            let has_shell = ["\n```sh", "\n```bash", "\n```console"]
                .iter()
                .any(|fence| fs::read_to_string(&page).unwrap().contains(fence));
            let is_found = found.iter().any(|found| page.ends_with(&found.name));
            assert!(is_found || !has_shell, "{}", page.display());
        }
    }

    /// DOC-4: a command that fails, or prints something else than the page shows, fails its page with its line.
    #[test]
    fn the_first_command_that_fails_fails_the_page() {
        let message = run("# Title\n\n```console\n$ false\n$ true\n```\n").unwrap_err();
        assert!(message.starts_with("README.md:4: "), "{message}");
        assert_eq!(run("```sh\ntest -e model-resource/README.md\n```\n"), Ok(()));
        assert!(run("```console\n$ echo one\ntwo\n```\n").is_err());
        assert_eq!(run("```console\n$ echo one; false\none\n```\n"), Ok(()));
        assert!(run("```sh\necho '{\"a\":1}'\n```\n```json\n{\"a\": 2}\n```\n").is_err());
        assert_eq!(
            run("```sh\necho '{\"a\":1}'\n```\n```json\n{\"a\": 1}\n```\n"),
            Ok(())
        );
    }

    #[test]
    fn variables_and_the_folder_last_until_the_end_of_the_page() {
        let page = "```sh\nmkdir a\ncd a\nNAME='one two'\n```\n```sh\ntest \"$NAME\" = 'one two'\ntest -d ../a\n```\n";
        assert_eq!(run(page), Ok(()));
        assert!(run("```sh\ntest -v NAME\n```\n").is_err());
    }
}
