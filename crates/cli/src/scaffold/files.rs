//! Files that a command writes: all of them or none.

use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;

/// Files to write below a folder.
pub(super) struct PlannedFiles {
    folder: PathBuf,
    new: Vec<(String, String)>,
    changed: Vec<(String, String)>,
}

impl PlannedFiles {
    pub(super) fn below(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            new: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Adds a file that must not exist yet.
    pub(super) fn add(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.new.push((path.into(), text.into()));
    }

    /// Replaces the text of a file that exists.
    pub(super) fn change(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.changed.push((path.into(), text.into()));
    }

    /// Writes all files and returns a line for each. If a new file exists already, nothing is written; if one cannot be
    /// written, those before it are removed again.
    pub(super) fn write(self) -> Result<String, Failure> {
        if let Some((path, _)) = self.new.iter().find(|(path, _)| self.folder.join(path).exists()) {
            return Err(format!(
                "{} exists already; nothing was written",
                self.folder.join(path).display()
            )
            .into());
        }
        let mut written: Vec<PathBuf> = Vec::new();
        for (path, text) in &self.new {
            let path = self.folder.join(path);
            if let Err(error) = create(&path, text) {
                // A file that appeared in the meantime belongs to somebody else.
                if error.kind() != ErrorKind::AlreadyExists {
                    written.push(path.clone());
                }
                written.iter().for_each(|path| drop(fs::remove_file(path)));
                return Err(format!("{} cannot be written: {error}", path.display()).into());
            }
            written.push(path);
        }
        format(&written);
        let mut report = String::new();
        for (path, _) in &self.new {
            let _ = writeln!(report, "wrote    {path}");
        }
        for (path, text) in &self.changed {
            let place = self.folder.join(path);
            fs::write(&place, text)
                .map_err(|error| format!("{} cannot be changed: {error}", place.display()))?;
            let _ = writeln!(report, "changed  {path}");
        }
        Ok(report)
    }
}

/// Formats the files of Rust, if rustfmt is installed. Without it they compile as well.
fn format(files: &[PathBuf]) {
    let files = files
        .iter()
        .filter(|file| file.extension().is_some_and(|name| name == "rs"));
    let mut rustfmt = Command::new("rustfmt");
    drop(rustfmt.args(["--edition", "2024"]).args(files).output());
}

fn create(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_keeps_everything_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("b.txt"), "mine").expect("a file");
        let mut files = PlannedFiles::below(folder.path());
        files.add("a.txt", "new");
        files.add("b.txt", "new");
        let message = files.write().expect_err("b.txt exists").to_string();
        assert!(
            message.ends_with("b.txt exists already; nothing was written"),
            "{message}"
        );
        assert!(!folder.path().join("a.txt").exists());
        assert_eq!(
            fs::read_to_string(folder.path().join("b.txt")).expect("a file"),
            "mine"
        );
    }
}
