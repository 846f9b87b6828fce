//! Process guard that stops the server however this process ends.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::outcome::Outcome;

/// Waits for the end of its input, which comes with the end of this process, even by SIGKILL.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
cat > /dev/null
folder=$1 sockets=$2
shift 2
"$@" > /dev/null 2>&1
rm -rf -- "$folder" "$sockets"
"#;

/// A child process that runs a command and removes two folders when this value is dropped or this process ends.
pub(crate) struct ProcessGuard(Child);

impl ProcessGuard {
    pub(crate) fn start(folder: &Path, sockets: &Path, stop: &[String]) -> Outcome<Self> {
        // In a separate process group, Ctrl-C does not reach it.
        Command::new("sh")
            .args(["-c", SCRIPT, "guard"])
            .args([folder, sockets])
            .args(stop)
            .current_dir("/")
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .map(Self)
            .map_err(|error| format!("cannot start sh: {error}"))
    }
}

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // The child does its work whether it is awaited or not.
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_guard_runs_the_command_and_removes_the_folders() {
        let scratch = tempfile::tempdir().unwrap();
        let [folder, sockets, mark] = ["folder", "sockets", "mark"].map(|name| scratch.path().join(name));
        std::fs::create_dir_all(folder.join("deep/file")).unwrap();
        std::fs::create_dir(&sockets).unwrap();
        let stop = ["touch".to_owned(), mark.display().to_string()];
        let guard = ProcessGuard::start(&folder, &sockets, &stop).unwrap();
        assert!(folder.exists() && sockets.exists() && !mark.exists());
        drop(guard);
        assert!(!folder.exists() && !sockets.exists() && mark.exists());
    }
}
