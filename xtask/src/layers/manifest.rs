//! The part of a `Cargo.toml` that the layers need: the package's name and its dependencies.

/// A package and the names in its dependency tables, without those for tests.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Manifest {
    pub(super) name: String,
    pub(super) dependencies: Vec<String>,
}

/// Parses the relevant lines; the rest of TOML does not occur in them.
pub(super) fn parse(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut table = "";
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            table = header.trim_end_matches(']');
            if let Some((_, name)) = table.rsplit_once("dependencies.")
                && !table.contains("dev-dependencies")
            {
                manifest.dependencies.push(name.to_owned());
            }
        } else if let Some((key, value)) = line.split_once('=') {
            if table == "package" && key.trim() == "name" {
                manifest.name = quoted(value).to_owned();
            } else if table.ends_with("dependencies") && !table.ends_with("dev-dependencies") {
                let renamed = value.split_once("package").map(|(_, name)| quoted(name));
                let name = key.split('.').next().unwrap_or_default().trim();
                manifest.dependencies.push(renamed.unwrap_or(name).to_owned());
            }
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
             [dependencies.e]\npath = \"..\"\n[dev-dependencies]\nf = \"1\"\n",
        );
        assert_eq!(manifest.name, "top");
        assert_eq!(manifest.dependencies, ["a", "b", "c", "d", "e"]);
    }
}
