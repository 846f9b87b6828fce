//! Installs Debian's package of PostgreSQL if permitted.

use std::fs;
use std::path::Path;

use crate::debian::Apt;
use crate::workspace::Outcome;

/// Folder of the configuration of the machine's servers.
const SERVERS: &str = "/etc/postgresql";

/// Installs `postgresql`, and removes the server that the package creates and starts.
pub(super) fn install() -> Outcome {
    let apt = Apt::find()?;
    let earlier = servers(Path::new(SERVERS));
    apt.install("postgresql")?;
    for server in servers(Path::new(SERVERS)) {
        if !earlier.contains(&server) {
            apt.run(&format!("pg_dropcluster --stop {server}"))?;
        }
    }
    Ok(())
}

/// Returns the machine's servers as `VERSION NAME`.
fn servers(folder: &Path) -> Vec<String> {
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.collect::<Vec<_>>()
    };
    let mut servers = Vec::new();
    for version in names(folder) {
        let of_version = names(&folder.join(&version));
        servers.extend(of_version.iter().map(|name| format!("{version} {name}")));
    }
    servers.sort();
    servers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn servers_are_listed_by_version_and_name() {
        let scratch = Scratch::new().unwrap();
        assert!(servers(&scratch.path().join("nothing")).is_empty());
        scratch.write("15/main/postgresql.conf", "");
        scratch.write("13/own/postgresql.conf", "");
        assert_eq!(servers(scratch.path()), ["13 own", "15 main"]);
    }
}
