//! The modules of a crate and their imports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::imports::{Import, Place, imports};
use crate::source::Source;
use crate::workspace::{Outcome, read, rust_files};

/// Maximum re-exports that a name is followed through.
const MAX_REEXPORTS: usize = 8;

/// A module by its path from the crate's root, which is empty itself.
pub(super) type Name = Vec<String>;

/// A module that is a file.
pub(super) struct Module {
    pub(super) file: PathBuf,
    pub(super) imports: Vec<Import>,
}

/// All modules of a crate except tests.
pub(super) struct Modules(BTreeMap<Name, Module>);

/// An import, resolved to the module that defines the name.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) from: Name,
    pub(super) to: Name,
    pub(super) file: PathBuf,
    pub(super) line: usize,
    /// The path as written after `crate::`.
    pub(super) written: String,
}

impl Modules {
    /// Reads `src` below a crate's folder.
    pub(super) fn read(folder: &Path, crate_name: &str) -> Outcome<Self> {
        let src = folder.join("src");
        let mut sources: BTreeMap<Name, (PathBuf, Source)> = BTreeMap::new();
        for file in rust_files(&src)? {
            let name = name(file.strip_prefix(&src).unwrap_or(&file));
            // A program in src/bin, or main.rs beside lib.rs, is a root of its own that no module imports.
            if name.first().is_some_and(|first| first == "bin") || sources.contains_key(&name) {
                continue;
            }
            let source = Source::read(&read(&file)?);
            sources.insert(name, (file, source));
        }
        let tests: Vec<Name> = sources
            .iter()
            .flat_map(|(name, (_, source))| source.test_modules.iter().map(|test| child(name, test)))
            .collect();
        sources.retain(|name, _| !tests.iter().any(|test| name.starts_with(test)));
        let names: Vec<Name> = sources.keys().cloned().collect();
        let modules = sources.into_iter().map(|(module, (file, source))| {
            let children: Vec<String> = names
                .iter()
                .filter(|name| name.len() == module.len() + 1 && name.starts_with(&module))
                .filter_map(|name| name.last().cloned())
                .collect();
            let place = Place {
                crate_name,
                module: &module,
                children: &children,
            };
            let imports = imports(&source.tokens, &place);
            (module, Module { file, imports })
        });
        Ok(Self(modules.collect()))
    }

    /// Returns all modules below the root.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.keys().filter(|name| !name.is_empty())
    }

    /// Returns every import that leaves its file. Excludes imports of the root, which is above all modules, and a
    /// parent's `pub use` of its children, which is a table of contents.
    pub(super) fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (from, module) in self.0.iter().filter(|(name, _)| !name.is_empty()) {
            for import in &module.imports {
                let to = self.follow(&import.path, 0);
                let contents = import.exported && to.len() > from.len() && to.starts_with(from);
                let exported_macro = import.is_macro && to.is_empty();
                if to != *from && !contents && !exported_macro {
                    let (file, written) = (module.file.clone(), import.path.join("::"));
                    edges.push(Edge {
                        from: from.clone(),
                        to,
                        file,
                        line: import.line,
                        written,
                    });
                }
            }
        }
        edges
    }

    /// Returns the module in which a path ends, following re-exports.
    fn follow(&self, path: &[String], depth: usize) -> Name {
        let length = (0..=path.len())
            .rev()
            .find(|length| self.0.contains_key(&path[..*length]))
            .unwrap_or(0);
        let (module, rest) = path.split_at(length);
        if let Some(next) = rest.first()
            && !module.is_empty()
            && depth < MAX_REEXPORTS
            && let Some(found) = self.0.get(module)
        {
            let mut imports = found.imports.iter();
            let is_reexport = |import: &&Import| import.name.as_ref() == Some(next) && import.path != path;
            if let Some(import) = imports.find(is_reexport) {
                let mut path = import.path.clone();
                path.extend_from_slice(&rest[1..]);
                return self.follow(&path, depth + 1);
            }
        }
        module.to_vec()
    }
}

fn name(file: &Path) -> Name {
    let mut name: Name = file
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let last = name.last().map(String::as_str);
    if last == Some("mod") || (name.len() == 1 && matches!(last, Some("lib" | "main"))) {
        name.pop();
    }
    name
}

fn child(name: &Name, last: &str) -> Name {
    let mut child = name.clone();
    child.push(last.to_owned());
    child
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn edges(files: &[(&str, &str)]) -> Vec<String> {
        let scratch = Scratch::new().unwrap();
        for (name, text) in files {
            scratch.write(&format!("src/{name}"), text);
        }
        let modules = Modules::read(scratch.path(), "x").unwrap();
        modules
            .edges()
            .iter()
            .map(|edge| format!("{} -> {}", edge.from.join("::"), edge.to.join("::")))
            .collect()
    }

    #[test]
    fn a_name_is_followed_to_where_it_is_defined() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod c; pub use c::Thing; pub use self::d::*; mod d;"),
            ("a/c.rs", "pub struct Thing;"),
            ("a/d.rs", "use super::Thing;"),
            ("b.rs", "use crate::a::Thing; #[cfg(test)] mod tests;"),
            ("b/tests.rs", "use crate::a::c;"),
        ];
        assert_eq!(edges(&files), ["a::d -> a::c", "b -> a::c"]);
    }

    #[test]
    fn a_parent_that_uses_its_child_itself_is_an_import() {
        assert_eq!(
            edges(&[
                ("lib.rs", ""),
                ("a.rs", "mod c; fn f() { c::g() }"),
                ("a/c.rs", "")
            ]),
            ["a -> a::c"]
        );
    }
}
