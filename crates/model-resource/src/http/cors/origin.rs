//! Origins in the syntax of browsers.

use std::fmt;
use std::str::FromStr;

use http::{HeaderValue, Uri};

/// Origin of a page, such as `https://app.example`, or `*` for any.
///
/// ```
/// use model_resource::Origin;
///
/// assert!("https://app.example:8443".parse::<Origin>().is_ok());
/// assert!("https://app.example/".parse::<Origin>().is_err(), "an origin has no path");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(HeaderValue);

impl Origin {
    /// Whether the origin is `*`.
    pub fn is_any(&self) -> bool {
        self.0 == "*"
    }

    /// Text of the origin, in lower case.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(super) fn as_header(&self) -> &HeaderValue {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self(HeaderValue::from_static("*")));
        }
        let lower = text.to_ascii_lowercase();
        let wrong = || {
            format!(
                "`{text}` is not an origin: write scheme, host and perhaps a port as browsers do, without a path and \
                 without the scheme's own port, such as \"https://app.example\""
            )
        };
        let (scheme, authority) = lower.split_once("://").ok_or_else(wrong)?;
        let uri: Uri = lower.parse().map_err(|_| wrong())?;
        let own_port = match scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        let is_origin = uri.authority().is_some_and(|known| known == authority)
            && !authority.contains(['@', '*'])
            && !authority.ends_with(':')
            && (own_port.is_none() || uri.port_u16() != own_port);
        match HeaderValue::try_from(lower.as_str()) {
            Ok(value) if is_origin => Ok(Self(value)),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<&str> for Origin {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port_as_browsers_write_them() {
        for (text, expected) in [
            ("https://app.example", "https://app.example"),
            ("HTTPS://App.Example:8443", "https://app.example:8443"),
            ("http://localhost:5173", "http://localhost:5173"),
            ("http://[::1]:80", ""),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("capacitor://localhost", "capacitor://localhost"),
            ("*", "*"),
            ("", ""),
            ("null", ""),
            ("app.example", ""),
            ("https://", ""),
            ("https://app.example/", ""),
            ("https://app.example/path", ""),
            ("https://app.example?x", ""),
            ("https://app.example:443", ""),
            ("https://app.example:", ""),
            ("https://me@app.example", ""),
            ("https://*.example", ""),
            ("https://app.example, https://b.example", ""),
        ] {
            let found = text.parse::<Origin>();
            let found = found.map_or_else(|_| String::new(), |origin| origin.to_string());
            assert_eq!(found, expected, "{text}");
        }
    }
}
