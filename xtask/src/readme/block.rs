//! The fenced shell code of a page, and how to run it.

/// A fenced section: its first line and its commands.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    pub(super) line: usize,
    pub(super) script: String,
}

/// Way to run a section.
#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    /// Runs to its end, which must be a success.
    Commands,
    /// Runs in the background, until it listens on this address.
    Server(String),
    /// Is skipped, since `cargo xtask` itself runs the page.
    Ourselves,
}

const LISTEN: &str = "127.0.0.1:8000";

/// Returns the sections fenced as `sh` and `console`; in the latter only lines after `$ ` are commands.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Block)> = None;
    for (number, line) in page.lines().enumerate() {
        let fence = line.trim().strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(language)) => {
                open = Some((
                    language,
                    Block {
                        line: number + 1,
                        script: String::new(),
                    },
                ));
            }
            (None, None) => {}
            (Some(_), Some(_)) => {
                if let Some((language, block)) = open.take()
                    && matches!(language, "sh" | "console")
                {
                    blocks.push(block);
                }
            }
            (Some((language, block)), None) => {
                let command = if *language == "console" {
                    line.trim().strip_prefix("$ ")
                } else {
                    Some(line)
                };
                if let Some(command) = command {
                    block.script.push_str(command);
                    block.script.push('\n');
                }
            }
        }
    }
    blocks
}

impl Block {
    /// Returns the way to run the section, or its mistake.
    pub(super) fn kind(&self) -> Result<Kind, String> {
        let commands: Vec<&str> = self
            .script
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        let ours = commands.iter().filter(|command| is_ours(command)).count();
        if ours > 0 {
            return if ours == commands.len() {
                Ok(Kind::Ourselves)
            } else {
                Err("`cargo xtask` needs a block of its own, because it is what runs this page".into())
            };
        }
        let server = commands.iter().find_map(|command| served_address(command));
        Ok(server.map_or(Kind::Commands, Kind::Server))
    }
}

fn is_ours(command: &str) -> bool {
    command.starts_with("cargo xtask") || command.trim_start_matches("./").starts_with(".ci/run")
}

/// Returns the address that a `cargo run` of the application listens on; its other commands and examples do not listen.
fn served_address(command: &str) -> Option<String> {
    let words: Vec<&str> = command
        .split_whitespace()
        .skip_while(|word| word.contains('=') && !word.starts_with('-'))
        .take_while(|word| !word.starts_with('#'))
        .collect();
    let words = words.strip_prefix(&["cargo", "run"])?;
    let split = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let (options, arguments) = words.split_at(split);
    if options.contains(&"--example") {
        return None;
    }
    match arguments.get(1) {
        None | Some(&"serve") => {}
        Some(first) if first.starts_with("--listen") || first.starts_with("--database") => {}
        Some(_) => return None,
    }
    let after = arguments
        .iter()
        .skip_while(|word| **word != "--listen")
        .nth(1)
        .copied();
    let joined = arguments.iter().find_map(|word| word.strip_prefix("--listen="));
    Some(joined.or(after).unwrap_or(LISTEN).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(script: &str) -> Result<Kind, String> {
        Block {
            line: 1,
            script: script.to_owned(),
        }
        .kind()
    }

    #[test]
    fn only_shell_blocks_are_read() {
        let page = "# T\n```sh\ncurl a\n```\n```json\n{}\n```\n```console\n$ ls\nfile\n```\n```rust\nfn f() {}\n```\n";
        let found: Vec<(usize, String)> = blocks(page)
            .into_iter()
            .map(|block| (block.line, block.script))
            .collect();
        assert_eq!(found, [(2, "curl a\n".to_owned()), (8, "ls\n".to_owned())]);
    }

    #[test]
    fn a_server_is_distinguished_from_other_runs() {
        assert_eq!(kind("cargo run\n"), Ok(Kind::Server(LISTEN.into())));
        assert_eq!(
            kind("cargo run --release -- serve --listen [::1]:9\n"),
            Ok(Kind::Server("[::1]:9".into()))
        );
        assert_eq!(
            kind("BACKEND_X=1 cargo run -- --database sqlite::memory:\n"),
            Ok(Kind::Server(LISTEN.into()))
        );
        assert_eq!(kind("cargo run -- routes\n"), Ok(Kind::Commands));
        assert_eq!(kind("cargo run --example decorator\n"), Ok(Kind::Commands));
        assert_eq!(kind("curl -s localhost:8000\n"), Ok(Kind::Commands));
    }

    #[test]
    fn our_own_commands_are_separate() {
        assert_eq!(kind("# all of it\ncargo xtask test\n"), Ok(Kind::Ourselves));
        assert!(kind("cargo xtask test\nls\n").is_err());
    }
}
