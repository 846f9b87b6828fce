//! Bearer token in the request headers.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use model_resource::{Error, Result};

const ALIAS: &str = "authentication-token";

/// Returns the token of `Authorization: Bearer` or `Authentication-Token`. More than one credential, or an unreadable
/// one, is rejected.
pub(crate) fn token(headers: &HeaderMap) -> Result<Option<&str>> {
    let mut found = None;
    for value in headers.get_all(AUTHORIZATION) {
        let text = value.to_str().map_err(|_| Error::unauthorized())?;
        let (scheme, token) = text.split_once(' ').ok_or_else(Error::unauthorized)?;
        if !scheme.eq_ignore_ascii_case("bearer") || found.replace(token.trim()).is_some() {
            return Err(Error::unauthorized());
        }
    }
    for value in headers.get_all(ALIAS) {
        let token = value.to_str().map_err(|_| Error::unauthorized())?;
        if found.replace(token).is_some() {
            return Err(Error::unauthorized());
        }
    }
    Ok(found)
}
