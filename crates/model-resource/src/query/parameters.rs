//! Query parameters of a URL, decoded once per request.

use std::borrow::Cow;

use http::{StatusCode, Uri};
use model_resource_schema::naming::Quoted;
use percent_encoding::percent_decode_str;

use crate::pipeline::{Error, Result};

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

    /// Copies the query without the parameters of these names.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let mut query = self.clone();
        query.pairs.retain(|(name, _)| !names.contains(&name.as_str()));
        query
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

/// Maximum bytes of a query, decoded and without the parameters that select the page. Links to other pages differ only
/// in these, so they are never longer than the limit allows.
const MAX_QUERY_LENGTH: usize = 8 * 1024;

/// Parameter that shows deleted rows in a list, to callers who see them.
pub(crate) const DELETED: &str = "deleted";

/// Parameters that select a page.
pub(crate) const PAGE: [&str; 5] = ["page", "pageSize", "limit", "offset", "cursor"];

/// Whether a parameter of a list selects a page of it, its order or its fields, and no rows.
pub(crate) fn is_about_page(name: &str) -> bool {
    PAGE.contains(&name) || ["count", "sort", "nulls", "fields", "expand", "format"].contains(&name)
}

/// Whether a parameter of a list asks for groups of its rows.
pub(crate) fn is_about_groups(name: &str) -> bool {
    name == "group" || name.starts_with("having[") || name.contains('(')
}

/// Query parameters in their order. Each reader takes out the parameters it knows, so that the rest is unknown.
pub(crate) struct Parameters<'q>(Vec<(Cow<'q, str>, Cow<'q, str>)>);

impl<'q> Parameters<'q> {
    pub(crate) fn of(query: &'q QueryString) -> Result<Self> {
        if query.is_lossy() {
            return Err(Error::bad_parameter("The query of the URL is not valid UTF-8."));
        }
        let counted = query
            .pairs()
            .iter()
            .filter(|(name, _)| !PAGE.contains(&name.as_str()));
        if counted
            .map(|(name, value)| name.len() + value.len())
            .sum::<usize>()
            > MAX_QUERY_LENGTH
        {
            let message = format!("The query of the URL is longer than {MAX_QUERY_LENGTH} bytes.");
            return Err(Error::named("UriTooLong", StatusCode::URI_TOO_LONG, message));
        }
        let pairs = query.pairs().iter();
        let borrowed =
            pairs.map(|(name, value)| (Cow::Borrowed(name.as_str()), Cow::Borrowed(value.as_str())));
        Ok(Self(borrowed.collect()))
    }

    /// Copies all name and value pairs.
    pub(crate) fn to_pairs(&self) -> Vec<(String, String)> {
        let pairs = self.0.iter();
        pairs
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    }

    /// Whether a parameter of this name exists.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// Adds a parameter.
    pub(crate) fn push(&mut self, name: &str, value: String) {
        self.0.push((Cow::Owned(name.to_owned()), Cow::Owned(value)));
    }

    /// Takes the parameter of this name, and rejects a second one.
    pub(crate) fn take(&mut self, name: &str) -> Result<Option<Cow<'q, str>>> {
        let Some(position) = self.0.iter().position(|(known, _)| known == name) else {
            return Ok(None);
        };
        let (_, value) = self.0.remove(position);
        if self.has(name) {
            return Err(given_twice(name));
        }
        Ok(Some(value))
    }

    /// Takes all parameters of this name.
    pub(crate) fn take_all(&mut self, name: &str) -> Vec<Cow<'q, str>> {
        let taken = self.0.extract_if(.., |(known, _)| known == name);
        taken.map(|(_, value)| value).collect()
    }

    /// Takes the first remaining parameter: its name and all its values.
    pub(crate) fn take_next(&mut self) -> Option<(Cow<'q, str>, Vec<Cow<'q, str>>)> {
        let name = self.0.first()?.0.clone();
        let values = self.take_all(&name);
        Some((name, values))
    }

    /// Name of the first remaining parameter for which the condition holds.
    pub(crate) fn find(&self, condition: impl Fn(&str) -> bool) -> Option<&str> {
        let mut names = self.0.iter().map(|(name, _)| &**name);
        names.find(|name| condition(name))
    }
}

/// Returns the value of the only parameter of this name.
pub(crate) fn only_value<'q>(query: &'q QueryString, name: &str) -> Result<Option<&'q str>> {
    let mut values = query.values(name);
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(given_twice(name)),
        (value, None) => Ok(value),
    }
}

fn given_twice(name: &str) -> Error {
    Error::bad_parameter(format!("The parameter {} is given twice.", Quoted(name)))
}

/// The error for an invalid parameter.
pub(crate) fn invalid_parameter(name: &str, message: impl std::fmt::Display) -> Error {
    Error::bad_parameter(format!("The parameter {} is not valid: {message}", Quoted(name)))
}

/// Parses a whole number within these bounds.
pub(crate) fn whole_number(name: &str, text: &str, min: u64, max: u64) -> Result<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text
        .parse()
        .ok()
        .filter(|number| digits && (min..=max).contains(number));
    number.ok_or_else(|| invalid_parameter(name, format!("Not a whole number from {min} to {max}.")))
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
