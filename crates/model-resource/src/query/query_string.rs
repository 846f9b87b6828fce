//! Query string of a URL, decoded once per request.

use std::borrow::Cow;

use http::Uri;
use percent_encoding::percent_decode_str;

/// Decoded names and values of a URL's query, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct QueryString {
    pairs: Vec<(String, String)>,
    /// Whether some of it was invalid UTF-8, and is replaced in the pairs.
    is_lossy: bool,
}

impl QueryString {
    pub(crate) fn of(uri: &Uri) -> Self {
        let mut query = Self::default();
        let pairs = uri.query().unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let pair = (query.decode(name), query.decode(value));
            query.pairs.push(pair);
        }
        query
    }

    fn decode(&mut self, text: &str) -> String {
        let text = if text.contains('+') {
            Cow::Owned(text.replace('+', " "))
        } else {
            Cow::Borrowed(text)
        };
        match String::from_utf8(percent_decode_str(&text).collect()) {
            Ok(text) => text,
            Err(error) => {
                self.is_lossy = true;
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            }
        }
    }

    /// Names and values.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// Whether some of the query was invalid UTF-8.
    pub(crate) fn is_lossy(&self) -> bool {
        self.is_lossy
    }

    /// Values of a parameter.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let pairs = self.pairs.iter().filter(move |(known, _)| known == name);
        pairs.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &'static str) -> QueryString {
        QueryString::of(&Uri::from_static(text))
    }

    #[test]
    fn names_and_values_are_decoded() {
        let query = query("/?a=b+c&d%5Bgte%5D=%C3%A4&&e");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            query.pairs(),
            [pair("a", "b c"), pair("d[gte]", "\u{e4}"), pair("e", "")]
        );
        assert!(!query.is_lossy());
    }

    #[test]
    fn invalid_utf_8_is_noted() {
        let query = query("/?a=%FF&b=1");
        assert!(query.is_lossy());
        assert_eq!(query.values("b").collect::<Vec<_>>(), ["1"]);
    }
}
