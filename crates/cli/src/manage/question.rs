//! Questions on the terminal.

use std::io::{self, BufRead as _, IsTerminal as _};

use crate::failure::Failure;

/// Whether someone can answer questions.
pub(crate) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question on standard error and reads a line.
pub(crate) fn ask(question: &str) -> Result<String, Failure> {
    eprint!("{question}");
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Err("there is no answer".into());
    }
    Ok(line.trim().to_owned())
}
