//! Lookup of PostgreSQL's programs.

use std::cmp::Reverse;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's folder, with a subfolder per version.
const DEBIAN: &str = "/usr/lib/postgresql";
const NEEDED: [&str; 3] = ["initdb", "pg_ctl", "postgres"];

/// Folder of the programs that create and run a server.
#[derive(Debug, PartialEq)]
pub struct Programs(PathBuf);

impl Programs {
    /// Searches the path, then the folder that `pg_config` prints, then Debian's.
    pub fn find() -> Option<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        Self::among(candidates(&path, pg_config(), Path::new(DEBIAN)))
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns the first folder with all programs. Links are followed, since only some programs may be linked.
    fn among(folders: Vec<PathBuf>) -> Option<Self> {
        let real = |folder: PathBuf| {
            let initdb = fs::canonicalize(folder.join("initdb")).ok()?;
            initdb.parent().map(Path::to_path_buf)
        };
        let has_all = |folder: &PathBuf| NEEDED.iter().all(|name| folder.join(name).is_file());
        folders.into_iter().filter_map(real).find(has_all).map(Self)
    }
}

fn candidates(path: &OsStr, pg_config: Option<PathBuf>, debian: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = env::split_paths(path).collect();
    folders.extend(pg_config);
    let mut versions: Vec<PathBuf> = fs::read_dir(debian)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    versions.sort_by_key(|path| Reverse(version(path)));
    folders.extend(versions.into_iter().map(|path| path.join("bin")));
    folders
}

/// Parses the version at the end of a path: `/usr/lib/postgresql/15` is 15; other paths come last.
fn version(path: &Path) -> Option<Vec<u32>> {
    let name = path.file_name()?.to_str()?;
    name.split('.').map(|part| part.parse().ok()).collect()
}

fn pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(folder.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::{TempDir, tempdir};

    fn write(scratch: &TempDir, name: &str) {
        let path = scratch.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    fn install(scratch: &TempDir, folder: &str) -> PathBuf {
        for name in NEEDED {
            write(scratch, &format!("{folder}/{name}"));
        }
        fs::canonicalize(scratch.path().join(folder)).unwrap()
    }

    fn search(scratch: &TempDir, path: &[&str], pg_config: Option<&str>) -> Option<Programs> {
        let path = env::join_paths(path.iter().map(|folder| scratch.path().join(folder))).unwrap();
        let pg_config = pg_config.map(|folder| scratch.path().join(folder));
        Programs::among(candidates(&path, pg_config, &scratch.path().join("debian")))
    }

    #[test]
    fn the_path_comes_before_pg_config_and_that_before_debian() {
        let scratch = tempdir().unwrap();
        let debian = install(&scratch, "debian/15/bin");
        assert_eq!(search(&scratch, &["a"], Some("b")), Some(Programs(debian)));
        let configured = install(&scratch, "b");
        assert_eq!(search(&scratch, &["a"], Some("b")), Some(Programs(configured)));
        let on_path = install(&scratch, "a");
        assert_eq!(search(&scratch, &["a"], Some("b")), Some(Programs(on_path)));
    }

    #[test]
    fn the_newest_version_comes_first() {
        let scratch = tempdir().unwrap();
        for version in ["9.6", "15", "common"] {
            install(&scratch, &format!("debian/{version}/bin"));
        }
        let newest = install(&scratch, "debian/16/bin");
        assert_eq!(search(&scratch, &[], None), Some(Programs(newest)));
    }

    #[test]
    fn a_folder_with_only_some_of_the_programs_is_passed_over() {
        let scratch = tempdir().unwrap();
        write(&scratch, "a/initdb");
        assert_eq!(search(&scratch, &["a"], None), None);
    }

    #[test]
    fn a_link_to_a_program_leads_to_all_of_them() {
        let scratch = tempdir().unwrap();
        let real = install(&scratch, "real");
        fs::create_dir(scratch.path().join("a")).unwrap();
        std::os::unix::fs::symlink(real.join("initdb"), scratch.path().join("a/initdb")).unwrap();
        assert_eq!(search(&scratch, &["a"], None), Some(Programs(real)));
    }
}
