//! Fenced commands of a page.

use super::command::{ShellCommand, words};
use super::exceptions;

/// Fence with commands.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    pub(super) line: usize,
    /// Whether the fence has the tag `no_run`.
    pub(super) marked: bool,
    /// Whether the fence is a comment.
    pub(super) hidden: bool,
    pub(super) commands: Vec<ShellCommand>,
    /// JSON that the page shows below, each the response to one of the commands.
    pub(super) responses: Vec<String>,
}

/// Kind of a fence.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fence {
    /// Each line is a command.
    Commands { marked: bool },
    /// Lines after `$ ` are commands, the others their output.
    Console { marked: bool },
    /// Comment of the page, whose lines are commands that prepare the next fence.
    Hidden,
    /// Response to a request of the shell fence above.
    Json,
    /// Any other language.
    Other,
}

const TICKS: &str = "```";
const COMMENT: &str = "<!-- sh";

/// Words that begin a command, which only a shell fence may contain.
const SHELL_WORDS: [&str; 7] = [
    "$",
    "backend",
    "cargo",
    "curl",
    "docker",
    "model-resource",
    "systemctl",
];

/// Returns the fences with commands in order, or the mistake of the page with its line.
pub(super) fn blocks(page: &str) -> Result<Vec<Block>, (usize, String)> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<(Fence, Block, String)> = None;
    // Whether JSON belongs to the last shell fence.
    let mut is_response = false;
    for (index, line) in page.lines().enumerate() {
        let (number, line) = (index + 1, line.trim_end());
        match open.take() {
            None => {
                is_response &= !line.starts_with('#');
                let fence = fence(line).map_err(|message| (number, message))?;
                open = fence.map(|fence| (fence, Block::new(number, fence), String::new()));
            }
            Some((fence, block, text)) if fence.is_end(line) => match fence {
                Fence::Other => {}
                Fence::Json => {
                    if let Some(block) = blocks.last_mut().filter(|_| is_response) {
                        block.responses.push(text);
                    }
                }
                Fence::Commands { .. } | Fence::Console { .. } | Fence::Hidden => {
                    block.check().map_err(|message| (block.line, message))?;
                    is_response = true;
                    blocks.push(block);
                }
            },
            Some((fence, mut block, mut text)) => {
                match fence {
                    Fence::Other if is_command(line) => {
                        let message = "a command is in a fence that is not run: mark it as `sh` or `console`";
                        return Err((number, message.to_owned()));
                    }
                    Fence::Other => {}
                    Fence::Json => text = text + line + "\n",
                    Fence::Commands { .. } | Fence::Hidden => block.add_line(number, line.trim()),
                    Fence::Console { .. } => block.add_console_line(number, line.trim()),
                }
                open = Some((fence, block, text));
            }
        }
    }
    match open {
        Some((_, block, _)) => Err((block.line, "the fence has no end".to_owned())),
        None => Ok(blocks),
    }
}

impl Fence {
    fn is_end(self, line: &str) -> bool {
        match self {
            Self::Hidden => line == "-->",
            _ => line.trim() == TICKS,
        }
    }
}

impl Block {
    fn new(line: usize, fence: Fence) -> Self {
        let marked = matches!(
            fence,
            Fence::Commands { marked: true } | Fence::Console { marked: true }
        );
        Self {
            line,
            marked,
            hidden: fence == Fence::Hidden,
            commands: Vec::new(),
            responses: Vec::new(),
        }
    }

    /// Rejects a tag without a reason, and a command that needs the tag.
    fn check(&self) -> Result<(), String> {
        if self.commands.is_empty() {
            return Err("the fence has no command".to_owned());
        }
        exceptions::check(
            self.marked,
            self.commands.iter().map(|command| command.text.as_str()),
        )
    }

    /// Adds a line of commands: a new one, or the rest of one that ends with a backslash.
    fn add_line(&mut self, line: usize, text: &str) {
        match self.commands.last_mut() {
            Some(command) if command.text.ends_with('\\') => {
                command.text.push('\n');
                command.text.push_str(text);
            }
            _ if text.is_empty() || text.starts_with('#') => {}
            _ => self.commands.push(ShellCommand {
                line,
                text: text.to_owned(),
                shown: Vec::new(),
            }),
        }
    }

    fn add_console_line(&mut self, line: usize, text: &str) {
        match (text.strip_prefix("$ "), self.commands.last_mut()) {
            (Some(command), _) => self.add_line(line, command),
            (None, Some(command)) if command.text.ends_with('\\') => self.add_line(line, text),
            (None, Some(command)) if !text.is_empty() => command.shown.push(text.to_owned()),
            (None, _) => {}
        }
    }
}

/// Returns the fence that a line opens.
fn fence(line: &str) -> Result<Option<Fence>, String> {
    if line == COMMENT {
        return Ok(Some(Fence::Hidden));
    }
    let Some(language) = line.trim().strip_prefix(TICKS) else {
        return Ok(None);
    };
    let (name, tag) = language.split_at(language.find([',', ' ']).unwrap_or(language.len()));
    let marked = match (name, tag) {
        ("json", _) => return Ok(Some(Fence::Json)),
        ("sh" | "bash" | "console", "" | ",no_run") => !tag.is_empty(),
        ("sh" | "bash" | "console" | "shell" | "shell-session" | "zsh", _) => {
            return Err(format!(
                "{language:?} is not run: use sh, bash or console, alone or with `,no_run`"
            ));
        }
        _ => return Ok(Some(Fence::Other)),
    };
    Ok(Some(match name {
        "console" => Fence::Console { marked },
        _ => Fence::Commands { marked },
    }))
}

/// Whether a line is a command of a shell, and not the value of a name in a manifest.
fn is_command(line: &str) -> bool {
    let mut words = words(line);
    let is_shell = words.next().is_some_and(|word| SHELL_WORDS.contains(&word));
    is_shell && words.next() != Some("=")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(page: &str) -> Vec<Vec<String>> {
        let text = |block: Block| block.commands.into_iter().map(|command| command.text).collect();
        blocks(page).unwrap().into_iter().map(text).collect()
    }

    #[test]
    fn each_line_of_a_shell_fence_is_a_command() {
        let page = "# T\n```sh\n# first\ncurl a \\\n    -d b\n\nls\n```\n```rust\nfn f() {}\n```\n";
        assert_eq!(texts(page), [["curl a \\\n-d b", "ls"]]);
    }

    #[test]
    fn a_console_has_commands_and_their_output() {
        let page = "# T\n```console\n$ ls\none\n\ntwo\n$ pwd\n```\n";
        let block = blocks(page).unwrap().remove(0);
        assert_eq!(block.line, 2);
        assert_eq!((block.commands[0].line, block.commands[1].line), (3, 7));
        assert_eq!(block.commands[0].shown, ["one", "two"]);
        assert!(block.commands[1].shown.is_empty());
    }

    #[test]
    fn json_below_a_shell_fence_is_a_response_up_to_the_next_title() {
        let json = "```json\n{}\n```\n";
        let shown = |page: &str| blocks(page).unwrap()[0].responses.clone();
        assert_eq!(shown(&format!("```sh\nls\n```\nSo:\n\n{json}")), ["{}\n"]);
        assert!(shown(&format!("```sh\nls\n```\n## Next\n{json}")).is_empty());
    }

    #[test]
    fn a_comment_prepares_commands_without_being_shown() {
        let found = blocks("<!-- sh\nls\n-->\n```sh\npwd\n```\n").unwrap();
        assert_eq!((found[0].hidden, found[1].hidden), (true, false));
        assert_eq!(found[0].commands[0].text, "ls");
    }

    #[test]
    fn a_fence_of_a_shell_with_another_name_or_tag_is_rejected() {
        for language in ["shell", "sh,ignore", "bash no_run"] {
            assert!(
                blocks(&format!("```{language}\nls\n```\n")).is_err(),
                "{language}"
            );
        }
        assert!(blocks("```sh\nls\n").is_err());
    }

    #[test]
    fn a_command_in_a_fence_that_is_not_run_is_rejected() {
        for line in ["$ ls", "curl -s x", "A=1 cargo test"] {
            let (number, _) = blocks(&format!("```text\n{line}\n```\n")).unwrap_err();
            assert_eq!(number, 2);
        }
        for line in ["HTTP/1.1 200 OK", "backend = { path = \"..\" }"] {
            assert_eq!(blocks(&format!("```text\n{line}\n```\n")), Ok(Vec::new()));
        }
    }
}
