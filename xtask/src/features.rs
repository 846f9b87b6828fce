//! One application with each optional feature of `model-resource` alone.

use std::path::Path;

use crate::workspace::{Outcome, call, cargo, read};

/// Features with steps of their own: the databases, and the choice of several features.
const OTHERS: [&str; 4] = ["default", "sqlite", "postgres", "tls"];
/// Features that change the answers of the application. The others must only compile alone.
const TESTED: [&str; 2] = ["csv", "server"];

/// Tests or checks the application on SQLite, without another feature and with each one alone.
pub(crate) fn run(root: &Path) -> Outcome {
    let manifest = read(&root.join("crates/model-resource/Cargo.toml"))?;
    with_features(root, "test", "sqlite")?;
    for feature in optional(&manifest) {
        let command = if TESTED.contains(&feature) {
            "test"
        } else {
            "check"
        };
        with_features(root, command, &format!("sqlite,{feature}"))?;
    }
    Ok(())
}

fn with_features(root: &Path, command: &str, features: &str) -> Outcome {
    let mut cargo = cargo(root);
    cargo.args([command, "--package", "model-resource", "--no-default-features"]);
    call(cargo.args(["--features", features, "--test", "features"]))
}

/// Returns the features of a manifest that no other step tests.
fn optional(manifest: &str) -> impl Iterator<Item = &str> {
    let lines = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| Some(line.split_once(" = ")?.0));
    names.filter(|name| !name.starts_with('#') && !OTHERS.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_tested_but_those_with_steps_of_their_own() {
        let manifest = "name = \"a\"\n[features]\ndefault = [\"csv\"]\nsqlite = []\n# x = y\ncsv = []\n\n\
                        log = [\n    \"dep:log\",\n]\n\n[dependencies]\nlog = \"1\"\n";
        assert!(optional(manifest).eq(["csv", "log"]));
        let own = read(&crate::workspace::root().join("crates/model-resource/Cargo.toml")).unwrap();
        let features: Vec<&str> = optional(&own).collect();
        for feature in ["server", "csv", "pages", "time"] {
            assert!(features.contains(&feature), "{features:?}");
        }
    }
}
