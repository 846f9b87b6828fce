//! Protection against cross-site request forgery (CSRF).

use http::header::{HOST, ORIGIN, REFERER};
use http::{HeaderMap, HeaderName, Uri};
use model_resource::{Context, Error, Method, Origin, Result};

use crate::secret::{self, Secret};

/// Header of the CSRF token, as it is shown to people.
pub(crate) const HEADER: &str = "X-CSRFToken";

/// Header of the CSRF token.
pub(crate) const TOKEN: HeaderName = HeaderName::from_static("x-csrftoken");

/// Origins that may send writes.
#[derive(Clone, Default)]
pub(crate) struct AllowedOrigins {
    /// Whether the application is reached over TLS only, and so are its own pages.
    pub(crate) is_secure: bool,
    /// Origins other than the application's own host.
    pub(crate) allowed: Vec<Origin>,
}

/// Accepts a request that writes nothing, or that proves by the CSRF token that its page can read the session.
pub(crate) fn require_token(cx: &Context, secret: &Secret, origins: &AllowedOrigins) -> Result<()> {
    if [Method::GET, Method::HEAD, Method::OPTIONS].contains(cx.method()) {
        return Ok(());
    }
    require_origin(cx, origins)?;
    let mut shown = cx.headers().get_all(TOKEN).iter();
    match (shown.next(), shown.next()) {
        (Some(shown), None) if secret::same(shown, secret.csrf_token()) => Ok(()),
        _ => Err(Error::forbidden(
            "A write with a session needs its token in the header X-CSRFToken.",
        )),
    }
}

/// Accepts a request without an origin, or from an allowed origin.
pub(crate) fn require_origin(cx: &Context, origins: &AllowedOrigins) -> Result<()> {
    if is_own(cx.headers(), cx.uri(), origins) {
        Ok(())
    } else {
        Err(Error::forbidden("This request comes from another site."))
    }
}

fn is_own(headers: &HeaderMap, uri: &Uri, origins: &AllowedOrigins) -> bool {
    let name = if headers.contains_key(ORIGIN) {
        ORIGIN
    } else {
        REFERER
    };
    let mut values = headers.get_all(name).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return true,
        (Some(only), None) => only,
        (Some(_), Some(_)) => return false,
    };
    let Some(origin) = value.to_str().ok().and_then(origin) else {
        return false;
    };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = uri.authority().map(|authority| authority.as_str()).or(host);
    host.is_some_and(|host| is_of(&origin, host, origins.is_secure)) || origins.allowed.contains(&origin)
}

/// Origin of a URL.
fn origin(url: &str) -> Option<Origin> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    format!("{scheme}://{host}").parse().ok()
}

/// Whether an origin is that of a host's pages. The host may name the default port, which an origin omits.
fn is_of(origin: &Origin, host: &str, is_secure: bool) -> bool {
    let (own, implied) = match origin.as_str().split_once("://") {
        Some(("https", own)) => (own, ":443"),
        Some(("http", own)) if !is_secure => (own, ":80"),
        _ => return false,
    };
    let host = host.strip_suffix(implied).unwrap_or(host);
    host.eq_ignore_ascii_case(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(headers: &[(HeaderName, &'static str)], origins: &AllowedOrigins) -> bool {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), http::HeaderValue::from_static(value)));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value);
        }
        is_own(&map, &Uri::from_static("/articles"), origins)
    }

    #[test]
    fn only_own_and_allowed_origins_pass() {
        let plain = AllowedOrigins::default();
        let own = (HOST, "shop.example:8000");
        for (said, expected) in [
            ((ORIGIN, "http://shop.example:8000"), true),
            ((ORIGIN, "http://SHOP.example:8000"), true),
            ((ORIGIN, "http://shop.example"), false),
            ((ORIGIN, "http://evil.example:8000"), false),
            ((ORIGIN, "http://shop.example:8000.evil.example"), false),
            ((ORIGIN, "http://shop.example:8000@evil.example"), false),
            ((ORIGIN, "null"), false),
            ((ORIGIN, "*"), false),
            ((ORIGIN, "ftp://shop.example:8000"), false),
            ((ORIGIN, ""), false),
            ((REFERER, "http://shop.example:8000/cart?x=1"), true),
            ((REFERER, "http://evil.example/http://shop.example:8000"), false),
        ] {
            assert_eq!(passes(&[own.clone(), said.clone()], &plain), expected, "{said:?}");
        }
        assert!(passes(std::slice::from_ref(&own), &plain));
        let both = [
            own.clone(),
            (ORIGIN, "http://evil.example"),
            (REFERER, "http://shop.example:8000/"),
        ];
        assert!(!passes(&both, &plain));
        let twice = [
            own,
            (ORIGIN, "http://shop.example:8000"),
            (ORIGIN, "http://evil.example"),
        ];
        assert!(!passes(&twice, &plain));
    }

    #[test]
    fn under_tls_a_page_without_it_is_another_site() {
        let secure = AllowedOrigins {
            is_secure: true,
            allowed: vec!["https://App.example".parse().expect("an origin")],
        };
        let own = (HOST, "shop.example");
        assert!(passes(&[own.clone(), (ORIGIN, "https://shop.example")], &secure));
        assert!(passes(
            &[(HOST, "shop.example:443"), (ORIGIN, "https://shop.example")],
            &secure
        ));
        assert!(!passes(&[own.clone(), (ORIGIN, "http://shop.example")], &secure));
        assert!(passes(&[own.clone(), (ORIGIN, "https://app.example")], &secure));
        assert!(passes(
            &[own.clone(), (REFERER, "https://app.example/page")],
            &secure
        ));
        assert!(!passes(&[own, (ORIGIN, "http://app.example")], &secure));
    }
}
