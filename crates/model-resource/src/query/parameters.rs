//! Decoded query parameters of a URL.

use std::borrow::Cow;

use http::StatusCode;
use model_resource_schema::naming::Quoted;

use crate::pipeline::{Error, Result};
use crate::query::query_string::QueryString;

/// Maximum bytes of a query, decoded and without the parameters that select the page. Links to other pages differ only
/// in these, so they are never longer than the limit allows.
const MAX_QUERY_LENGTH: usize = 8 * 1024;

/// Parameters that select a page.
pub(crate) const PAGE: [&str; 5] = ["page", "pageSize", "limit", "offset", "cursor"];

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
