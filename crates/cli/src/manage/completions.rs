//! `completions`: scripts by which shells complete commands and options.

use std::io;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::manage::output::print;

/// Prints the script by which a shell completes commands and options
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn print(self, mut command: Command) -> io::Result<()> {
        let name = command.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        print(&String::from_utf8_lossy(&script))
    }
}
