//! Unprivileged account for PostgreSQL's programs, which refuse to run as root.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::outcome::Outcome;

/// Current account, or an unprivileged one if that is root.
pub(crate) enum SystemAccount {
    Own,
    Other { name: &'static str, prefix: Vec<String> },
}

impl SystemAccount {
    pub(crate) fn choose() -> Outcome<Self> {
        if !is_root() {
            return Ok(Self::Own);
        }
        let is_known = |name: &&str| prints("id", &["-u", name]).is_some();
        let name = ["postgres", "nobody"].into_iter().find(is_known).ok_or(
            "PostgreSQL does not run as root, and there is neither an account `postgres` nor `nobody` for it",
        )?;
        let ways = [
            format!("runuser -u {name} --"),
            format!("setpriv --reuid {name} --regid {} --init-groups --", group(name)),
        ];
        for way in ways {
            let prefix: Vec<String> = way.split_whitespace().map(str::to_owned).collect();
            let mut command = Command::new(&prefix[0]);
            command.args(&prefix[1..]).arg("true").current_dir("/");
            if succeeds(&mut command) {
                return Ok(Self::Other { name, prefix });
            }
        }
        Err(format!(
            "PostgreSQL does not run as root, and neither `runuser` nor `setpriv` can run it as `{name}`"
        ))
    }

    /// Returns the command line that runs a program under the account.
    pub(crate) fn words(&self, program: &Path, arguments: &[String]) -> Vec<String> {
        let mut words = match self {
            Self::Own => Vec::new(),
            Self::Other { prefix, .. } => prefix.clone(),
        };
        words.push(program.display().to_string());
        words.extend_from_slice(arguments);
        words
    }

    /// Makes the account the owner of a folder or file.
    pub(crate) fn own(&self, path: &Path) -> Outcome {
        let Self::Other { name, .. } = self else {
            return Ok(());
        };
        if succeeds(Command::new("chown").arg(name).arg(path)) {
            Ok(())
        } else {
            Err(format!("cannot give {} to `{name}`", path.display()))
        }
    }

    /// Whether the account can enter a folder; the home of root, for example, is closed to others.
    pub(crate) fn can_enter(&self, folder: &Path) -> bool {
        let arguments = ["-x".to_owned(), folder.display().to_string()];
        let words = self.words(Path::new("test"), &arguments);
        succeeds(Command::new(&words[0]).args(&words[1..]).current_dir("/"))
    }
}

/// Whether the current process runs as root.
pub fn is_root() -> bool {
    prints("id", &["-u"]).as_deref() == Some("0")
}

/// Whether a command succeeds; its output is discarded.
pub fn succeeds(command: &mut Command) -> bool {
    let silent = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

fn group(name: &str) -> String {
    prints("id", &["-g", name]).unwrap_or_else(|| name.to_owned())
}

/// Returns the output of a command if it succeeds.
fn prints(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
