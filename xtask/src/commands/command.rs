//! A command of a page.

/// Command, and the output that the page shows.
#[derive(Debug, PartialEq)]
pub(super) struct ShellCommand {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) shown: Vec<String>,
}

/// Address of a server without `--listen`.
const LISTEN: &str = "127.0.0.1:8000";

impl ShellCommand {
    /// Returns the address that the command serves, if it is a server.
    pub(super) fn served_address(&self) -> Option<String> {
        let words: Vec<&str> = words(&self.text)
            .take_while(|word| !word.starts_with('#'))
            .collect();
        let arguments = match words.as_slice() {
            ["cargo", "run", rest @ ..] => {
                let split = rest.iter().position(|word| *word == "--");
                let (options, arguments) = rest.split_at(split.map_or(rest.len(), |split| split + 1));
                if options.contains(&"--example") {
                    return None;
                }
                arguments
            }
            ["backend", arguments @ ..] => arguments,
            _ => return None,
        };
        match arguments.first() {
            None | Some(&"serve") => {}
            Some(first) if first.starts_with("--listen") || first.starts_with("--database") => {}
            Some(_) => return None,
        }
        let after = arguments.iter().skip_while(|word| **word != "--listen").nth(1);
        let joined = arguments.iter().find_map(|word| word.strip_prefix("--listen="));
        Some(joined.or(after.copied()).unwrap_or(LISTEN).to_owned())
    }
}

/// Splits a command at its spaces, without the variables that it sets first.
pub(super) fn words(command: &str) -> impl Iterator<Item = &str> {
    command
        .split_whitespace()
        .filter(|word| *word != "\\")
        .skip_while(|word| word.split_once('=').is_some_and(|(name, _)| is_variable(name)))
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(text: &str) -> Option<String> {
        let command = ShellCommand {
            line: 1,
            text: text.to_owned(),
            shown: Vec::new(),
        };
        command.served_address()
    }

    #[test]
    fn a_server_is_distinguished_from_other_commands() {
        for server in [
            "cargo run",
            "BACKEND_X=1 cargo run -- --database sqlite::memory:",
            "backend serve # comment",
            "backend",
        ] {
            assert_eq!(served(server).as_deref(), Some(LISTEN), "{server}");
        }
        let other = "cargo run --release -- serve --listen [::1]:9";
        assert_eq!(served(other).as_deref(), Some("[::1]:9"));
        for command in [
            "cargo run -- routes",
            "cargo run --example decorator",
            "backend user create",
            "curl -s localhost:8000",
            "cargo test",
        ] {
            assert_eq!(served(command), None, "{command}");
        }
    }
}
