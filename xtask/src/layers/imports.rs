//! Paths in a file to other modules of its crate.

use crate::source::Token;

/// A path from the crate's root, and its line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    pub(super) line: usize,
    /// The name that a `use` binds; `None` in expressions and for `*`.
    pub(super) name: Option<String>,
    /// Whether it is a `pub use` or `pub(..) use`.
    pub(super) exported: bool,
    /// Whether `!` follows, so that the path ends with a macro.
    pub(super) is_macro: bool,
}

/// The file whose paths are read.
pub(super) struct Place<'a> {
    /// The crate's own name, as in paths.
    pub(super) crate_name: &'a str,
    /// The module of the file.
    pub(super) module: &'a [String],
    /// The direct child modules of the file's module.
    pub(super) children: &'a [String],
}

/// Reads every path that begins with `crate`, `self`, `super`, the crate's name or a child module.
pub(super) fn imports(tokens: &[Token], place: &Place<'_>) -> Vec<Import> {
    let mut reader = Reader {
        tokens,
        at: 0,
        found: Vec::new(),
    };
    let mut depth = 0_usize;
    // Open inline modules, each with the depth of its braces.
    let mut inline: Vec<(String, usize)> = Vec::new();
    while let Some(token) = tokens.get(reader.at) {
        match token.text.as_str() {
            "{" => {
                depth += 1;
                if let Some(name) = inline_module(&tokens[..reader.at]) {
                    inline.push((name, depth));
                }
            }
            "}" => {
                inline.retain(|(_, at)| *at < depth);
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        let mut here = place.module.to_vec();
        here.extend(inline.iter().map(|(name, _)| name.clone()));
        match base(tokens, reader.at, place, &here) {
            Some((path, after)) => {
                let in_use = use_before(&tokens[..reader.at]);
                reader.at = after;
                reader.tree(path, in_use);
            }
            None => reader.at += 1,
        }
    }
    reader.found
}

fn inline_module(before: &[Token]) -> Option<String> {
    match before {
        [.., keyword, name] if keyword.is("mod") && name.is_word() => Some(name.text.clone()),
        _ => None,
    }
}

/// Returns `None` outside a `use`, otherwise whether it is exported.
fn use_before(before: &[Token]) -> Option<bool> {
    match before {
        [.., visibility, keyword] if keyword.is("use") => Some(visibility.is("pub") || visibility.is(")")),
        [keyword] if keyword.is("use") => Some(false),
        _ => None,
    }
}

/// Returns the module that a path starts from, and the position after its first `::`.
fn base(tokens: &[Token], at: usize, place: &Place<'_>, here: &[String]) -> Option<(Vec<String>, usize)> {
    let word = &tokens[at];
    if !word.is_word() || !tokens.get(at + 1).is_some_and(|token| token.is("::")) {
        return None;
    }
    let before = &tokens[..at];
    if before.last().is_some_and(|token| token.is("::") || token.is("$")) {
        return None;
    }
    if matches!(before, [.., open, inside] if open.is("(") && inside.is("in")) {
        return None;
    }
    match word.text.as_str() {
        "crate" => Some((Vec::new(), at + 2)),
        "self" => Some((here.to_vec(), at + 2)),
        "super" => {
            let mut path = here.to_vec();
            let mut at = at;
            while tokens.get(at).is_some_and(|token| token.is("super")) {
                path.pop();
                at += 2;
            }
            Some((path, at))
        }
        name if name == place.crate_name => Some((Vec::new(), at + 2)),
        name if here == place.module && place.children.iter().any(|child| child == name) => {
            Some((here.to_vec(), at))
        }
        _ => None,
    }
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    found: Vec<Import>,
}

impl Reader<'_> {
    /// Reads `a::b`, `a::{b, c as d}` or `a::*` and stops after it.
    fn tree(&mut self, mut path: Vec<String>, in_use: Option<bool>) {
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        while let Some(token) = self.tokens.get(self.at) {
            if token.is("{") && in_use.is_some() {
                self.at += 1;
                self.branches(&path, in_use);
                return;
            }
            if token.is("*") && in_use.is_some() {
                self.at += 1;
                self.push(path, line, None, in_use);
                return;
            }
            if !token.is_word() {
                break;
            }
            if !token.is("self") {
                path.push(token.text.clone());
            }
            self.at += 1;
            if !self.next_is("::") {
                break;
            }
            self.at += 1;
        }
        let mut name = None;
        if in_use.is_some() {
            name = path.last().cloned();
            if self.next_is("as") {
                name = self.tokens.get(self.at + 1).map(|token| token.text.clone());
                self.at += 2;
            }
        }
        self.push(path, line, name, in_use);
    }

    fn branches(&mut self, path: &[String], in_use: Option<bool>) {
        while let Some(token) = self.tokens.get(self.at) {
            if token.is("}") {
                self.at += 1;
                return;
            }
            if token.is_word() || token.is("*") {
                self.tree(path.to_vec(), in_use);
            } else {
                self.at += 1;
            }
        }
    }

    fn push(&mut self, path: Vec<String>, line: usize, name: Option<String>, in_use: Option<bool>) {
        let is_macro = in_use.is_none() && self.next_is("!");
        self.found.push(Import {
            path,
            line,
            name,
            exported: in_use == Some(true),
            is_macro,
        });
    }

    fn next_is(&self, text: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.is(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn paths(module: &[&str], children: &[&str], text: &str) -> Vec<String> {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let place = Place {
            crate_name: "backend",
            module: &own(module),
            children: &own(children),
        };
        imports(&Source::read(text).tokens, &place)
            .into_iter()
            .map(|import| import.path.join("/"))
            .collect()
    }

    #[test]
    fn trees_are_read_to_their_leaves() {
        let text = "use crate::a::{self, b::{C, D as E}, f::*};";
        assert_eq!(paths(&[], &[], text), ["a", "a/b/C", "a/b/D", "a/f"]);
    }

    #[test]
    fn relative_paths_start_from_the_module() {
        assert_eq!(
            paths(
                &["a", "b"],
                &[],
                "use super::c::D; self::e(); super::super::f::g()"
            ),
            ["a/c/D", "a/b/e", "f/g"]
        );
        assert_eq!(paths(&["a"], &["b"], "b::c(); d::e(); x::b::c()"), ["a/b/c"]);
        assert_eq!(
            paths(&["a"], &[], "mod inner { use super::b; } use super::c;"),
            ["a/b", "c"]
        );
    }

    #[test]
    fn expressions_and_own_name_count_and_visibility_does_not() {
        let text =
            "pub(crate) fn f() -> crate::a::B<T> { backend::c::d() } pub(in crate::e) struct S; $crate::g!()";
        assert_eq!(paths(&["x"], &[], text), ["a/B", "c/d"]);
    }

    #[test]
    fn an_exported_use_is_distinguished() {
        let text = "pub use b::C; pub(crate) use b::D; use b::E as F;";
        let children = ["b".to_owned()];
        let place = Place {
            crate_name: "x",
            module: &[],
            children: &children,
        };
        let found = imports(&Source::read(text).tokens, &place);
        let exported: Vec<bool> = found.iter().map(|import| import.exported).collect();
        assert_eq!(exported, [true, true, false]);
        assert_eq!(found[2].name.as_deref(), Some("F"));
    }
}
