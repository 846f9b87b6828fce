//! Headers that keep the responses to different callers apart in caches.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::http::{has_directive, vary_by};

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const ACCEPT: HeaderValue = HeaderValue::from_static("accept");
const PRIVATE: HeaderValue = HeaderValue::from_static("private");

/// Treatment of responses by caches.
pub(crate) enum Caching {
    /// Every caller gets the same response.
    Shared,
    /// The response depends on the credential in these headers.
    Varying(VaryingHeaders),
    /// The response depends on a credential that nothing is known about.
    Private,
}

/// Names of headers for `Vary`.
pub(crate) struct VaryingHeaders {
    names: HeaderValue,
    /// The names after `accept`, which most responses vary by.
    after_accept: HeaderValue,
}

impl VaryingHeaders {
    fn new(names: HeaderValue) -> Self {
        let mut headers = HeaderMap::from_iter([(header::VARY, ACCEPT)]);
        vary_by(&mut headers, &names);
        let after_accept = headers.remove(header::VARY).unwrap_or(ACCEPT);
        Self { names, after_accept }
    }

    fn add_to(&self, headers: &mut HeaderMap) {
        let mut present = headers.get_all(header::VARY).iter();
        if present.next() == Some(&ACCEPT) && present.next().is_none() {
            headers.insert(header::VARY, self.after_accept.clone());
        } else {
            vary_by(headers, &self.names);
        }
    }
}

impl Caching {
    /// Returns that of an api whose authenticator reads these headers; `None` without an authenticator.
    pub(crate) fn of(credential_headers: Option<Vec<HeaderName>>) -> Self {
        let Some(mut names) = credential_headers else {
            return Self::Shared;
        };
        names.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
        names.dedup();
        let names: Vec<&str> = names.iter().map(HeaderName::as_str).collect();
        match HeaderValue::try_from(names.join(", ")) {
            Ok(names) if !names.is_empty() => Self::Varying(VaryingHeaders::new(names)),
            _ => Self::Private,
        }
    }

    /// Adds the headers to the response to an anonymous caller.
    pub(crate) fn add_to(&self, headers: &mut HeaderMap) {
        match self {
            Self::Shared => {}
            Self::Varying(names) => names.add_to(headers),
            Self::Private => {
                headers.entry(header::CACHE_CONTROL).or_insert(PRIVATE);
            }
        }
    }
}

/// Mark of a response that caches may not store, because its tag is also that of other responses to its URL: a cache
/// that revalidates it could get a 304 that is meant for these.
#[derive(Clone)]
pub(crate) struct AmbiguousTag;

/// Whether a handler's response may contain a secret: it sets cookies, or its handler forbids caches to store it.
pub(crate) fn may_contain_secret(headers: &HeaderMap) -> bool {
    let is_no_store = |value: &HeaderValue| has_directive(value, b"no-store");
    headers.contains_key(header::SET_COOKIE) || headers.get_all(header::CACHE_CONTROL).iter().any(is_no_store)
}

/// Forbids caches to store a response, unless it says something else.
pub(crate) fn forbid_storing(headers: &mut HeaderMap) {
    headers.entry(header::CACHE_CONTROL).or_insert(NO_STORE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_varies_by_the_headers_with_credentials() {
        let added = |names: Option<Vec<HeaderName>>| {
            let mut headers = HeaderMap::new();
            Caching::of(names).add_to(&mut headers);
            let value = |name| {
                headers
                    .get(name)
                    .map(|value| value.to_str().unwrap_or_default().to_owned())
            };
            (value(header::VARY), value(header::CACHE_CONTROL))
        };
        assert_eq!(added(None), (None, None));
        let names = vec![header::COOKIE, header::AUTHORIZATION, header::COOKIE];
        assert_eq!(
            added(Some(names)),
            (Some("authorization, cookie".to_owned()), None)
        );
        assert_eq!(added(Some(Vec::new())), (None, Some("private".to_owned())));
    }

    #[test]
    fn the_headers_with_credentials_are_added_to_what_a_response_varies_by() {
        let caching = Caching::of(Some(vec![header::COOKIE, header::AUTHORIZATION]));
        for (lines, expected) in [
            (&["accept"] as &[&'static str], "accept, authorization, cookie"),
            (&["accept, cookie"], "accept, cookie, authorization"),
            (&["origin"], "origin, authorization, cookie"),
            (&["accept", "origin"], "accept, origin, authorization, cookie"),
        ] {
            let lines = lines
                .iter()
                .map(|line| (header::VARY, HeaderValue::from_static(line)));
            let mut headers = HeaderMap::new();
            for (name, line) in lines {
                headers.append(name, line);
            }
            caching.add_to(&mut headers);
            let all: Vec<&HeaderValue> = headers.get_all(header::VARY).iter().collect();
            assert_eq!(all, [expected]);
        }
    }
}
