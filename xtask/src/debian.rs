//! Installs Debian packages if permitted.

use std::process::Command;

use private_postgres::{is_root, succeeds};

use crate::workspace::Outcome;

/// Permission to install packages.
pub(crate) struct Apt {
    prefix: &'static [&'static str],
}

impl Apt {
    /// Checks whether packages can be installed without a prompt.
    pub(crate) fn find() -> Outcome<Self> {
        if !succeeds(Command::new("apt-get").arg("--version")) {
            return Err("there is no apt-get".to_owned());
        }
        if is_root() {
            return Ok(Self { prefix: &[] });
        }
        if !succeeds(Command::new("sudo").args(["-n", "true"])) {
            return Err("apt-get needs root, or sudo without a password".to_owned());
        }
        Ok(Self {
            prefix: &["sudo", "-n"],
        })
    }

    /// Installs packages, separated by spaces.
    pub(crate) fn install(&self, packages: &str) -> Outcome {
        self.run("apt-get update -q")?;
        self.run(&format!(
            "apt-get install -q -y --no-install-recommends {packages}"
        ))
    }

    /// Runs a command with the privileges that an installation needs.
    pub(crate) fn run(&self, command: &str) -> Outcome {
        println!("$ {command}");
        let words: Vec<&str> = self.prefix.iter().copied().chain(command.split(' ')).collect();
        let status = Command::new(words[0])
            .args(&words[1..])
            .env("DEBIAN_FRONTEND", "noninteractive")
            .status()
            .map_err(|error| format!("cannot start `{command}`: {error}"))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`{command}` ended with {status}"))
        }
    }
}
