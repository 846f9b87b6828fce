//! Standard output.

use std::io::{self, Write};

/// Prints a line about the state of a server, which goes on serving if nobody reads it, or if the disk is full.
pub(crate) fn announce(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Prints a long text. A reader that has seen enough, such as `head`, may close the pipe.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
