//! Standard output.

use std::io::{self, Write};

/// Prints a long text. A reader that has seen enough, such as `head`, may close the pipe.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
