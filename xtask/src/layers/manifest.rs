//! The part of a `Cargo.toml` that the layers need: the package's name and its dependencies.

use std::collections::BTreeMap;

/// A package and the packages in its dependency tables.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Manifest {
    pub(super) name: String,
    pub(super) dependencies: Vec<String>,
    pub(super) test_dependencies: Vec<String>,
}

/// Packages by the names that the workspace gives them: `short = { package = "long-name", .. }`.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Renames(BTreeMap<String, String>);

impl Renames {
    /// Parses the table `workspace.dependencies`.
    pub(super) fn parse(text: &str) -> Self {
        let renamed = text.lines().filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            let (_, package) = value.split_once("package")?;
            Some((key.trim().to_owned(), quoted(package).to_owned()))
        });
        Self(renamed.collect())
    }

    fn package(&self, key: &str) -> String {
        self.0.get(key).map_or(key, String::as_str).to_owned()
    }
}

/// Parses the relevant lines; the rest of TOML does not occur in them.
pub(super) fn parse(text: &str, renames: &Renames) -> Manifest {
    let mut manifest = Manifest::default();
    let mut table = "";
    for line in text.lines().map(str::trim) {
        let dependency = if let Some(header) = line.strip_prefix('[') {
            table = header.trim_end_matches(']');
            table
                .rsplit_once("dependencies.")
                .map(|(_, name)| renames.package(name))
        } else if let Some((key, value)) = line.split_once('=') {
            if table == "package" && key.trim() == "name" {
                manifest.name = quoted(value).to_owned();
            }
            let renamed = value.split_once("package").map(|(_, name)| quoted(name));
            let name = key.split('.').next().unwrap_or_default().trim();
            table
                .ends_with("dependencies")
                .then(|| renamed.map_or_else(|| renames.package(name), str::to_owned))
        } else {
            None
        };
        if table.contains("dev-dependencies") {
            manifest.test_dependencies.extend(dependency);
        } else {
            manifest.dependencies.extend(dependency);
        }
    }
    manifest
}

fn quoted(text: &str) -> &str {
    text.split('"').nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_found_in_every_spelling() {
        let manifest = parse(
            "[package]\nname = \"top\"\n[dependencies]\na.workspace = true\nb = { path = \"../b\" }\n\
             x = { package = \"c\", path = \"..\" }\n[target.'cfg(unix)'.dependencies]\nd = \"1\"\n\
             [dependencies.e]\npath = \"..\"\n[dev-dependencies]\nf = \"1\"\ng.workspace = true\n",
            &Renames::parse("[workspace.dependencies]\ng = { path = \"g\", package = \"long-g\" }\n"),
        );
        assert_eq!(manifest.name, "top");
        assert_eq!(manifest.dependencies, ["a", "b", "c", "d", "e"]);
        assert_eq!(manifest.test_dependencies, ["f", "long-g"]);
    }
}
