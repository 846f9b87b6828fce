//! Compares the crates with the declared layers.

use std::fs;
use std::path::Path;

use super::cycle::cycles;
use super::manifest::{self, Manifest, Renames};
use super::modules::{Modules, Name};
use super::plan::{self, Layers};
use crate::workspace::{Outcome, read};

/// Checks every crate of the workspace against `xtask/layers.txt`.
pub(crate) fn run(root: &Path) -> Outcome {
    let plan = plan::parse(&read(&root.join("xtask/layers.txt"))?)?;
    let mut problems = Vec::new();
    for folder in crate_folders(root) {
        if !plan.iter().any(|layers| layers.folder == folder) {
            problems.push(format!(
                "crate {folder} has no layers: add it to xtask/layers.txt"
            ));
        }
    }
    let renames = Renames::parse(&read(&root.join("Cargo.toml"))?);
    let mut manifests = Vec::new();
    for layers in &plan {
        let text = read(&root.join(&layers.folder).join("Cargo.toml"))?;
        manifests.push(manifest::parse(&text, &renames));
    }
    check_circles(&manifests, &mut problems);
    let mut count = 0;
    for (layers, manifest) in plan.iter().zip(&manifests) {
        check_dependencies(layers, manifest, &plan, &manifests, &mut problems);
        let modules = Modules::read(&root.join(&layers.folder), &manifest.name.replace('-', "_"))?;
        count += modules.names().count();
        check_modules(root, layers, &modules, &mut problems);
    }
    if problems.is_empty() {
        println!(
            "{} crates and {count} modules, no import upwards or in a cycle",
            plan.len()
        );
        return Ok(());
    }
    for problem in &problems {
        println!("{problem}");
    }
    Err(format!("{} problems in the layers", problems.len()))
}

/// Returns the folders with a `Cargo.toml`, as deep as the workspace has them.
fn crate_folders(root: &Path) -> Vec<String> {
    let mut folders = Vec::new();
    for parent in ["", "crates/"] {
        let entries = fs::read_dir(root.join(parent)).into_iter().flatten().flatten();
        let crates = entries.filter(|entry| entry.path().join("Cargo.toml").is_file());
        folders.extend(crates.map(|entry| format!("{parent}{}", entry.file_name().to_string_lossy())));
    }
    folders.sort();
    folders
}

fn check_dependencies(
    layers: &Layers,
    manifest: &Manifest,
    plan: &[Layers],
    manifests: &[Manifest],
    problems: &mut Vec<String>,
) {
    for (other, package) in plan.iter().zip(manifests) {
        if manifest.dependencies.contains(&package.name) && !layers.may_use.contains(&other.folder) {
            problems.push(format!(
                "crate {} may not depend on {}",
                layers.folder, other.folder
            ));
        }
    }
}

/// Rejects circles of crates. Cargo accepts one through a test's dependency, but then neither crate can be published first,
/// and the tests of the lower one cannot run with fewer features than the upper one needs.
fn check_circles(manifests: &[Manifest], problems: &mut Vec<String>) {
    let name = |package: &String| -> Name { vec![package.clone()] };
    let mut edges: Vec<(Name, Name)> = Vec::new();
    for manifest in manifests {
        let uses = manifest.dependencies.iter().chain(&manifest.test_dependencies);
        edges.extend(uses.map(|used| (name(&manifest.name), name(used))));
    }
    for cycle in cycles(edges.iter().map(|(from, to)| (from, to))) {
        problems.push(format!(
            "the crates {} depend on each other: move the test that needs the other crate to crates/framework-tests",
            cycle.concat().join(" > ")
        ));
    }
}

fn check_modules(root: &Path, layers: &Layers, modules: &Modules, problems: &mut Vec<String>) {
    let folder = &layers.folder;
    for name in modules.names().filter(|name| layers.level(name).is_none()) {
        problems.push(format!(
            "{folder}: module `{}` has no layer: add it to xtask/layers.txt",
            shown(name)
        ));
    }
    let is_module = |listed: &str| modules.names().any(|name| shown(name) == listed);
    for listed in layers.groups.iter().flatten().filter(|listed| !is_module(listed)) {
        problems.push(format!(
            "{folder}: there is no module `{listed}`: remove it from xtask/layers.txt"
        ));
    }
    let edges = modules.edges();
    for edge in &edges {
        let why = match (layers.level(&edge.from), layers.level(&edge.to)) {
            (Some((_, from)), Some((_, to))) if from == to => continue,
            (Some((above, _)), Some((below, _))) if above == below => "which is in the same layer",
            (Some((below, _)), Some((above, _))) if below > above => "which is in a higher layer",
            _ if edge.to.is_empty() => {
                "a name of the crate's root: import it from the module that defines it"
            }
            _ => continue,
        };
        let file = edge.file.strip_prefix(root).unwrap_or(&edge.file);
        let (line, from) = (edge.line, shown(&edge.from));
        problems.push(format!(
            "{}:{line}: `{from}` imports `crate::{}`, {why}",
            file.display(),
            edge.written
        ));
    }
    for cycle in cycles(edges.iter().map(|edge| (&edge.from, &edge.to))) {
        let way: Vec<String> = cycle.iter().map(shown).collect();
        problems.push(format!("{folder}: cyclic imports: {}", way.join(" > ")));
    }
}

fn shown(name: &Name) -> String {
    if name.is_empty() {
        "crate".into()
    } else {
        name.join("::")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    const PLAN: &str = "low:\n    value\nhigh: low\n    api\n    loader handler\n    error\n";

    /// Checks two layered crates with some files replaced.
    fn check(files: &[(&str, &str)]) -> Outcome {
        let scratch = Scratch::new().unwrap();
        scratch.write("xtask/layers.txt", PLAN);
        scratch.write("Cargo.toml", "[workspace]\n");
        scratch.write("low/Cargo.toml", "[package]\nname = \"the-low\"\n");
        scratch.write("low/src/lib.rs", "pub mod value;");
        scratch.write("low/src/value.rs", "");
        scratch.write(
            "high/Cargo.toml",
            "[package]\nname = \"high\"\n[dependencies]\nthe-low.workspace = true\n",
        );
        scratch.write(
            "high/src/lib.rs",
            "mod api; mod error; mod handler; mod loader; pub use api::Api;",
        );
        scratch.write(
            "high/src/api.rs",
            "use crate::{error::Error, loader};\npub struct Api;",
        );
        scratch.write(
            "high/src/loader/mod.rs",
            "mod list;\nmod rows;\npub(crate) use list::List;",
        );
        scratch.write(
            "high/src/loader/list.rs",
            "use super::rows::Rows;\nuse crate::error::Error;",
        );
        scratch.write("high/src/loader/rows.rs", "pub(crate) struct Rows;");
        scratch.write(
            "high/src/handler.rs",
            "// crate::api is above\nconst A: &str = \"crate::api\";",
        );
        scratch.write(
            "high/src/error.rs",
            "#[cfg(test)]\nmod tests {\n    use crate::api::Api;\n}",
        );
        for (name, text) in files {
            scratch.write(name, text);
        }
        run(scratch.path())
    }

    #[test]
    fn imports_that_run_down_pass() {
        assert_eq!(check(&[]), Ok(()));
    }

    #[test]
    fn an_upward_import_fails() {
        assert!(check(&[("high/src/error.rs", "use crate::api::Api;")]).is_err());
        assert!(check(&[("high/src/error.rs", "fn f() -> super::api::Api { loop {} }")]).is_err());
        assert!(check(&[("high/src/error.rs", "use crate::Api;")]).is_err());
    }

    #[test]
    fn a_module_inside_a_folder_can_have_a_layer_of_its_own() {
        let above =
            "low:\n    value\nhigh: low\n    api\n    loader::list\n    handler\n    loader\n    error\n";
        let list_uses_handler = ("high/src/loader/list.rs", "use crate::handler::Handler;");
        assert!(check(&[list_uses_handler]).is_err());
        assert_eq!(check(&[("xtask/layers.txt", above), list_uses_handler]), Ok(()));
        let handler_uses_list = ("high/src/handler.rs", "use crate::loader::List;");
        assert!(check(&[("xtask/layers.txt", above), handler_uses_list]).is_err());
    }

    #[test]
    fn an_import_within_a_group_fails() {
        assert!(check(&[("high/src/handler.rs", "use crate::loader::List;")]).is_err());
    }

    #[test]
    fn a_cycle_inside_a_folder_fails() {
        assert!(check(&[("high/src/loader/rows.rs", "use super::list::List;")]).is_err());
        assert!(check(&[("high/src/loader/rows.rs", "use super::List;")]).is_err());
    }

    #[test]
    fn a_module_without_layer_fails() {
        assert!(check(&[("high/src/misc.rs", "")]).is_err());
    }

    #[test]
    fn a_crate_that_depends_upwards_fails() {
        let manifest = "[package]\nname = \"the-low\"\n[dependencies]\nhigh.workspace = true\n";
        assert!(check(&[("low/Cargo.toml", manifest)]).is_err());
    }

    #[test]
    fn a_circle_through_a_dependency_of_tests_fails() {
        let manifest = "[package]\nname = \"the-low\"\n[dev-dependencies]\nhigh.workspace = true\n";
        assert!(check(&[("low/Cargo.toml", manifest)]).is_err());
        let outside = "[package]\nname = \"the-low\"\n[dev-dependencies]\nother.workspace = true\n";
        assert_eq!(check(&[("low/Cargo.toml", outside)]), Ok(()));
    }

    #[test]
    fn a_crate_without_layers_fails() {
        assert!(check(&[("third/Cargo.toml", "[package]\nname = \"third\"\n")]).is_err());
    }
}
