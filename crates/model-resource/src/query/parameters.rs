//! Decoded query parameters of a URL.

use std::borrow::Cow;

use http::{StatusCode, Uri};
use model_resource_schema::naming::Quoted;
use percent_encoding::percent_decode_str;

use crate::pipeline::{Error, Result};

/// Maximum bytes of a query, decoded and without the parameters that select the page. Links to other pages differ only
/// in these, so they are never longer than the limit allows.
const MAX_QUERY_LENGTH: usize = 8 * 1024;

/// Parameters that select a page.
pub(crate) const PAGE: [&str; 5] = ["page", "pageSize", "limit", "offset", "cursor"];

/// Query parameters in their order. Each reader takes out the parameters it knows, so that the rest is unknown.
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    pub(crate) fn of(uri: &Uri) -> Result<Self> {
        let pairs = pairs_of(uri).map(|(name, value)| Ok((text(name)?, text(value)?)));
        let pairs = pairs.collect::<Result<Vec<_>>>()?;
        let counted = pairs.iter().filter(|(name, _)| !PAGE.contains(&name.as_str()));
        if counted
            .map(|(name, value)| name.len() + value.len())
            .sum::<usize>()
            > MAX_QUERY_LENGTH
        {
            let message = format!("The query of the URL is longer than {MAX_QUERY_LENGTH} bytes.");
            return Err(Error::named("UriTooLong", StatusCode::URI_TOO_LONG, message));
        }
        Ok(Self(pairs))
    }

    /// All name and value pairs.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Whether a parameter of this name exists.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// Adds a parameter.
    pub(crate) fn push(&mut self, name: &str, value: String) {
        self.0.push((name.to_owned(), value));
    }

    /// Takes the parameter of this name, and rejects a second one.
    pub(crate) fn take(&mut self, name: &str) -> Result<Option<String>> {
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
    pub(crate) fn take_all(&mut self, name: &str) -> Vec<String> {
        let (taken, left) = std::mem::take(&mut self.0)
            .into_iter()
            .partition::<Vec<_>, _>(|(known, _)| known == name);
        self.0 = left;
        taken.into_iter().map(|(_, value)| value).collect()
    }

    /// Returns the remaining parameters.
    pub(crate) fn rest(self) -> Vec<(String, String)> {
        self.0
    }
}

/// Returns the value of the only parameter of this name, without decoding the others.
pub(crate) fn only_value(uri: &Uri, name: &str) -> Result<Option<String>> {
    let mut values = pairs_of(uri)
        .filter(|(known, _)| **known == *name.as_bytes())
        .map(|(_, value)| String::from_utf8_lossy(&value).into_owned());
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(given_twice(name)),
        (value, None) => Ok(value),
    }
}

fn given_twice(name: &str) -> Error {
    Error::bad_parameter(format!("The parameter {} is given twice.", Quoted(name)))
}

/// Decoded names and values of a URL's query.
pub(crate) fn pairs_of(uri: &Uri) -> impl Iterator<Item = (Cow<'_, [u8]>, Cow<'_, [u8]>)> {
    let pairs = uri.query().unwrap_or_default().split('&');
    pairs.filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

fn decode(text: &str) -> Cow<'_, [u8]> {
    if text.contains('+') {
        percent_decode_str(&text.replace('+', " ")).collect()
    } else {
        percent_decode_str(text).into()
    }
}

fn text(bytes: Cow<'_, [u8]>) -> Result<String> {
    String::from_utf8(bytes.into_owned())
        .map_err(|_| Error::bad_parameter("The query of the URL is not valid UTF-8."))
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
