//! URLs that pages link to: queries with other parameters, and URL patterns filled with values.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::pages::parameters::with_query;

/// Characters that need no escape in a segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'@')
    .remove(b':')
    .remove(b',');

/// Appends a segment of a path.
pub(crate) fn push_segment(out: &mut String, text: &str) {
    out.extend(utf8_percent_encode(text, SEGMENT));
}

/// Parameters that say where in a list a page begins.
pub(crate) const POSITION_PARAMETERS: [&str; 3] = ["page", "cursor", "offset"];

/// Parameters of a query, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct PageQuery(pub(crate) Vec<(String, String)>);

impl PageQuery {
    /// First value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut pairs = self.0.iter();
        let (_, value) = pairs.find(|(known, _)| known == name)?;
        Some(value)
    }

    /// Query without some parameters.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let kept = self.0.iter().filter(|(name, _)| !names.contains(&name.as_str()));
        Self(kept.cloned().collect())
    }

    /// Query of the first page, of the same size.
    pub(crate) fn first_page(&self) -> Self {
        self.without(&POSITION_PARAMETERS)
    }

    /// Query without the parameter at this position.
    pub(crate) fn without_position(&self, position: usize) -> Self {
        let mut pairs = self.0.clone();
        pairs.remove(position);
        Self(pairs)
    }

    /// Query with one value of a parameter, at the end.
    pub(crate) fn with(&self, name: &str, value: impl Into<String>) -> Self {
        let mut changed = self.without(&[name]);
        changed.0.push((name.to_owned(), value.into()));
        changed
    }

    /// URL of this path with the query.
    pub(crate) fn url(&self, path: &str) -> String {
        with_query(path, &self.0)
    }
}

/// URL rule with its parameters replaced by values in their order, each one segment.
pub(crate) fn fill(rule: &str, values: &[String]) -> Option<String> {
    let mut url = String::with_capacity(rule.len());
    let mut values = values.iter();
    let mut rest = rule;
    while let Some((before, after)) = rest.split_once('<') {
        let (_, after) = after.split_once('>')?;
        url.push_str(before);
        push_segment(&mut url, values.next()?);
        rest = after;
    }
    url.push_str(rest);
    Some(url)
}

/// Values of a rule's parameters in a path that matches it, decoded.
pub(crate) fn values(rule: &str, path: &str) -> Option<Vec<String>> {
    let (mut rule, mut path) = (rule.split('/'), path.split('/'));
    let mut found = Vec::new();
    loop {
        match (rule.next(), path.next()) {
            (None, None) => return Some(found),
            (Some(part), Some(segment)) if part.starts_with('<') && part.ends_with('>') => {
                let decoded = percent_encoding::percent_decode_str(segment).decode_utf8().ok()?;
                found.push(decoded.into_owned());
            }
            (Some(part), Some(segment)) if part == segment => {}
            _ => return None,
        }
    }
}

/// Whether two URL patterns have the same segments, whatever the names of their parameters are.
pub(crate) fn same_shape(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.split('/'), other.split('/'));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || (a.starts_with('<') && b.starts_with('<')) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn queries_are_escaped() {
        let query = PageQuery(vec![pair("rating[gte]", "4"), pair("q", "a&b =\"\u{e4}")]);
        assert_eq!(query.url("/a"), "/a?rating[gte]=4&q=a%26b%20%3D%22%C3%A4");
        assert_eq!(
            query.without(&["q"]).with("page", "2").url("/a"),
            "/a?rating[gte]=4&page=2"
        );
        assert_eq!(query.without_position(0).url(""), "?q=a%26b%20%3D%22%C3%A4");
    }

    #[test]
    fn patterns_are_filled_and_read() {
        let rule = "/users/<int:user_id>/posts/<slug>";
        let values_of = ["7".to_owned(), "a/b".to_owned()];
        assert_eq!(fill(rule, &values_of).as_deref(), Some("/users/7/posts/a%2Fb"));
        assert_eq!(values(rule, "/users/7/posts/a%2Fb"), Some(values_of.to_vec()));
        assert_eq!(values(rule, "/users/7"), None);
        assert!(same_shape("/a/<int:id>", "/a/<int:a_id>") && !same_shape("/a/<id>", "/a"));
    }
}
