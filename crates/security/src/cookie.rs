//! Session cookie.

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

/// Lifetime of the cookie in seconds, the maximum that browsers allow. The server decides when a session ends, and
/// extends it with its use.
const MAX_AGE: u32 = 400 * 24 * 3600;

/// Name of the cookie. With the prefix, browsers accept it only over TLS and from this exact host.
pub(crate) fn name(is_secure: bool) -> &'static str {
    if is_secure { "__Host-session" } else { "session" }
}

/// Value of the cookie. Two cookies are ignored, because another host of the same site may have set the second.
pub(crate) fn value(headers: &HeaderMap, is_secure: bool) -> Option<&str> {
    let lines = headers.get_all(COOKIE).iter();
    let pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    let mut values = pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(own, _)| *own == name(is_secure))
        .map(|(_, value)| value);
    match (values.next(), values.next()) {
        (only, None) => only,
        (_, Some(_)) => None,
    }
}

/// Header that sets the cookie.
pub(crate) fn set(value: &str, is_secure: bool) -> HeaderValue {
    header(value, MAX_AGE, is_secure)
}

/// Header that removes the cookie.
pub(crate) fn remove(is_secure: bool) -> HeaderValue {
    header("", 0, is_secure)
}

fn header(value: &str, max_age: u32, is_secure: bool) -> HeaderValue {
    let (name, secure) = (name(is_secure), if is_secure { "; Secure" } else { "" });
    let text = format!("{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::try_from(text)
        .expect("the value is empty or a secret, which is made of letters, digits, `-` and `_`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&'static str], is_secure: bool) -> Option<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(COOKIE, HeaderValue::from_static(line));
        }
        value(&headers, is_secure).map(str::to_owned)
    }

    #[test]
    fn the_cookie_is_found_among_others_and_only_once() {
        assert_eq!(of(&["a=b; session=1.x; c=d"], false).as_deref(), Some("1.x"));
        assert_eq!(of(&["a=b", "session=1.x"], false).as_deref(), Some("1.x"));
        assert_eq!(of(&["session=1.x; session=2.y"], false), None);
        assert_eq!(of(&["session=1.x", "session=1.x"], false), None);
        assert_eq!(of(&["session=1.x"], true), None);
        assert_eq!(
            of(&["__Host-session=1.x; session=2.y"], true).as_deref(),
            Some("1.x")
        );
        assert_eq!(of(&["xsession=1.x"], false), None);
    }

    #[test]
    fn a_secure_cookie_is_bound_to_its_host() {
        let secure = set("1.x", true);
        let expected = "__Host-session=1.x; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(secure, expected);
        assert_eq!(
            remove(false),
            "session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
        );
    }
}
