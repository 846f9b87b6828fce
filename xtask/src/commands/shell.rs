//! The shell of a page: its folder, and its variables from one command to the next.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::{Outcome, remove_cargo_variables};

/// Shell in a new folder, which is removed together with this value.
///
/// The folder has the same path in every run, so that cargo compiles an application in it, and the crates in
/// `model-resource/`, only after a change.
pub(super) struct PageShell {
    home: PathBuf,
    /// Folder of compiled applications.
    applications: PathBuf,
    path: String,
}

/// Restores the variables and the folder that the last command has left.
///
/// A new application has the versions that everything else is tested with, and is compiled below the workspace, so that
/// another run compiles only what has changed.
const PRELUDE: &str = r#"
set -euo pipefail
exec 2>&1
if [ -e "$SESSION/variables" ]; then source "$SESSION/variables"; fi
cd "$PWD"
cargo() {
    if [ -d crates/model-resource ]; then
        command cargo "$@"
    else
        CARGO_TARGET_DIR="$APPLICATIONS" command cargo "$@"
    fi
}
if [ -e Cargo.toml ] && [ ! -e Cargo.lock ]; then cp "$SESSION/page/model-resource/Cargo.lock" .; fi
"#;

/// Keeps the variables and the folder for the next command.
const KEEP: &str = r#"
trap 'export -p > "$SESSION/variables"' EXIT
set -a
"#;

impl PageShell {
    /// Makes the folder of a page, with a link to the checkout, `model-resource`.
    pub(super) fn new(root: &Path, programs: &Path) -> Outcome<Self> {
        let home = root.join("target/commands");
        let session = Self {
            path: format!(
                "{}:{}",
                programs.display(),
                std::env::var("PATH").unwrap_or_default()
            ),
            applications: root.join("target/new-application"),
            home,
        };
        session
            .prepare(root)
            .map_err(|error| format!("cannot prepare {}: {error}", session.home.display()))?;
        Ok(session)
    }

    fn prepare(&self, root: &Path) -> std::io::Result<()> {
        if self.home.exists() {
            fs::remove_dir_all(&self.home)?;
        }
        fs::create_dir_all(self.folder())?;
        // An HTTP error fails a command, unless the page shows it.
        fs::write(self.home.join(".curlrc"), "silent\nshow-error\nfail-with-body\n")?;
        symlink(root, self.folder().join("model-resource"))
    }

    fn folder(&self) -> PathBuf {
        self.home.join("page")
    }

    /// Returns a command that keeps its variables and its folder for the next one.
    pub(super) fn command(&self, text: &str) -> Command {
        self.bash(&format!("{PRELUDE}{KEEP}{text}"))
    }

    /// Returns a server, which changes nothing for the next command.
    pub(super) fn server(&self, text: &str) -> Command {
        // The shell outlives the signal, so that its end is that of the server.
        self.bash(&format!("{PRELUDE}trap : TERM\n{text}"))
    }

    fn bash(&self, script: &str) -> Command {
        let mut bash = Command::new("bash");
        remove_cargo_variables(&mut bash);
        bash.args(["-c", script])
            .current_dir(self.folder())
            .env("SESSION", &self.home)
            .env("APPLICATIONS", &self.applications)
            .env("PATH", &self.path)
            .env("CURL_HOME", &self.home)
            .env(
                "BACKEND_DATABASE",
                format!("sqlite:{}", self.home.join("backend.db").display()),
            )
            // No proxy has to learn that a server stops.
            .env("BACKEND_GRACE_PERIOD", "0")
            .stdin(Stdio::null());
        bash
    }
}

impl Drop for PageShell {
    fn drop(&mut self) {
        // The result is ignored, since a panic here would hide the original error.
        let _ = fs::remove_dir_all(&self.home);
    }
}
