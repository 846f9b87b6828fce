//! Tree of all registered URLs by segment. A request descends once, however many URLs there are.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::routing::converter::Converter;
use crate::routing::rule::{Rule, SegmentPattern, UrlSegment};

/// Maximum segments of a path. No URL has more, and a longer path would only cost time.
const MAX_SEGMENTS: usize = 256;

/// Finds the entry for a path.
#[derive(Debug)]
pub(crate) struct UrlTree<T> {
    root: TreeNode<T>,
}

#[derive(Debug)]
struct TreeNode<T> {
    /// Sorted by text.
    fixed: Vec<(String, TreeNode<T>)>,
    parameters: Vec<(SegmentPattern, TreeNode<T>)>,
    found: Option<T>,
}

impl<T> Default for TreeNode<T> {
    fn default() -> Self {
        Self {
            fixed: Vec::new(),
            parameters: Vec::new(),
            found: None,
        }
    }
}

impl<T> Default for UrlTree<T> {
    fn default() -> Self {
        Self {
            root: TreeNode::default(),
        }
    }
}

impl<T> UrlTree<T> {
    /// Registers a URL. Fails with the earlier entry if it matches exactly the same paths.
    pub(crate) fn insert(&mut self, rule: &Rule, found: T) -> Result<(), &T> {
        let mut node = &mut self.root;
        for segment in rule.segments() {
            node = match segment {
                UrlSegment::Fixed(text) => node.fixed(text),
                UrlSegment::Parameter(pattern) => node.parameter(pattern),
            };
        }
        match node.found {
            Some(ref earlier) => Err(earlier),
            None => {
                node.found = Some(found);
                Ok(())
            }
        }
    }

    /// Returns the entry that matches exactly the same paths as a rule.
    pub(crate) fn get(&self, rule: &Rule) -> Option<&T> {
        let mut node = &self.root;
        for segment in rule.segments() {
            node = match segment {
                UrlSegment::Fixed(text) => &node.fixed[node.position(text).ok()?].1,
                UrlSegment::Parameter(pattern) => {
                    let mut known = node.parameters.iter();
                    &known.find(|(known, _)| known == pattern)?.1
                }
            };
        }
        node.found.as_ref()
    }

    /// Finds the entry for a request's path, and the values of its parameters. A trailing slash makes no difference.
    pub(crate) fn find(&self, path: &str) -> Option<(&T, Vec<String>)> {
        let path = path.strip_prefix('/')?;
        let path = path.strip_suffix('/').unwrap_or(path);
        if path.bytes().filter(|byte| *byte == b'/').count() >= MAX_SEGMENTS {
            return None;
        }
        let mut values = Vec::with_capacity(2);
        let found = self
            .root
            .find(Some(path).filter(|path| !path.is_empty()), &mut values)?;
        Some((found, values))
    }
}

/// Percent-decodes a part of a path; `None` if it is not UTF-8.
fn decoded(part: &str) -> Option<Cow<'_, str>> {
    if part.as_bytes().contains(&b'%') {
        percent_decode_str(part).decode_utf8().ok()
    } else {
        Some(Cow::Borrowed(part))
    }
}

impl<T> TreeNode<T> {
    /// Child for a fixed text.
    fn fixed(&mut self, text: &str) -> &mut TreeNode<T> {
        let position = match self.position(text) {
            Ok(position) => position,
            Err(position) => {
                self.fixed
                    .insert(position, (text.to_owned(), TreeNode::default()));
                position
            }
        };
        &mut self.fixed[position].1
    }

    fn position(&self, text: &str) -> Result<usize, usize> {
        self.fixed.binary_search_by(|(known, _)| known.as_str().cmp(text))
    }

    /// Child for a pattern. Children are sorted in the order in which they are tried.
    fn parameter(&mut self, pattern: &SegmentPattern) -> &mut TreeNode<T> {
        let position = match self.parameters.iter().position(|(known, _)| known == pattern) {
            Some(position) => position,
            None => {
                let longer = |p: &SegmentPattern| p.before.len() + p.after.len();
                let order = |p: &SegmentPattern| (p.converter.clone(), std::cmp::Reverse(longer(p)));
                let position = self
                    .parameters
                    .partition_point(|(known, _)| order(known) <= order(pattern));
                self.parameters
                    .insert(position, (pattern.clone(), TreeNode::default()));
                position
            }
        };
        &mut self.parameters[position].1
    }

    /// Finds the entry for the rest of a path; `None` after the last segment.
    fn find(&self, path: Option<&str>, values: &mut Vec<String>) -> Option<&T> {
        let Some(path) = path else {
            return self.found.as_ref();
        };
        // Byte by byte, because segments are short and setting up a search takes longer.
        let (first, rest) = match path.bytes().position(|byte| byte == b'/') {
            Some(slash) => (&path[..slash], Some(&path[slash + 1..])),
            None => (path, None),
        };
        let first = decoded(first)?;
        if let Ok(position) = self.position(&first)
            && let Some(found) = self.fixed[position].1.find(rest, values)
        {
            return Some(found);
        }
        self.parameters
            .iter()
            .find_map(|(pattern, node)| match pattern.converter {
                Converter::Path => node.find_after_path(pattern, path, values),
                _ => {
                    let value = pattern.capture(&first)?;
                    values.push(value.to_owned());
                    node.find(rest, values).or_else(|| {
                        values.pop();
                        None
                    })
                }
            })
    }

    /// Matches a path parameter with as many segments as possible, and with all remaining ones only if nothing that
    /// follows it matches.
    fn find_after_path(&self, pattern: &SegmentPattern, path: &str, values: &mut Vec<String>) -> Option<&T> {
        let place = values.len();
        let splits = path.rmatch_indices('/');
        let splits = splits.map(|(slash, _)| (&path[..slash], Some(&path[slash + 1..])));
        for (taken, rest) in splits.chain([(path, None)]) {
            values.push(String::new());
            if let Some(found) = self.find(rest, values)
                && let Some(value) = pattern.capture(&decoded(taken)?)
            {
                values[place] = value.to_owned();
                return Some(found);
            }
            values.truncate(place);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(urls: &[&'static str]) -> UrlTree<&'static str> {
        let mut table = UrlTree::default();
        for url in urls {
            table.insert(&Rule::parse(url).unwrap(), *url).unwrap();
        }
        table
    }

    fn found(table: &UrlTree<&'static str>, path: &str) -> Option<(&'static str, Vec<String>)> {
        table.find(path).map(|(url, values)| (*url, values))
    }

    #[test]
    fn converters_of_one_shape_stand_side_by_side() {
        let table = table(&[
            "/u/<name>",
            "/u/<int:id>",
            "/u/<uuid:key>",
            "/u/me",
            "/u/<id>.json",
            "/u/<path:rest>",
        ]);
        let one = |value: &str| vec![value.to_owned()];
        assert_eq!(found(&table, "/u/1"), Some(("/u/<int:id>", one("1"))));
        assert_eq!(found(&table, "/u/%31/"), Some(("/u/<int:id>", one("1"))));
        assert_eq!(found(&table, "/u/me"), Some(("/u/me", vec![])));
        assert_eq!(found(&table, "/u/bob"), Some(("/u/<name>", one("bob"))));
        assert_eq!(found(&table, "/u/7.json"), Some(("/u/<id>.json", one("7"))));
        assert_eq!(found(&table, "/u/a/b/c"), Some(("/u/<path:rest>", one("a/b/c"))));
        assert_eq!(found(&table, "/u"), None);
        assert_eq!(found(&table, "/u//"), None);
    }

    #[test]
    fn integers_are_plain_digits_in_range() {
        let table = table(&["/u/<int:id>"]);
        for path in [
            "/u/-1",
            "/u/+1",
            "/u/01",
            "/u/1.0",
            "/u/1e0",
            "/u/9223372036854775808",
            "/u/１",
            "/u/%ff",
        ] {
            assert_eq!(found(&table, path), None, "{path}");
        }
        assert!(found(&table, "/u/9223372036854775807").is_some());
    }

    #[test]
    fn a_path_leaves_room_for_what_follows_it() {
        let table = table(&["/wiki/<path:page>/edit", "/wiki/<path:page>"]);
        assert_eq!(
            found(&table, "/wiki/a/b/edit").unwrap().0,
            "/wiki/<path:page>/edit"
        );
        assert_eq!(found(&table, "/wiki/a/b").unwrap().0, "/wiki/<path:page>");
    }

    #[test]
    fn the_same_paths_cannot_be_registered_twice() {
        let mut table = table(&["/u/<int:id>"]);
        assert_eq!(
            table.insert(&Rule::parse("/u/<int:other>/").unwrap(), "again"),
            Err(&"/u/<int:id>")
        );
    }

    #[test]
    fn urls_are_built_from_parameters() {
        let rule = Rule::parse("/a/<int:id>/b/<name>").unwrap();
        let value = |name: &str| Some(if name == "id" { "7" } else { "x y" });
        assert_eq!(rule.build(value).unwrap(), "/a/7/b/x%20y");
        assert!(rule.build(|_| Some("no")).is_err());
    }
}
