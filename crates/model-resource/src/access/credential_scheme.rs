//! Ways in which clients send credentials.

use http::{HeaderName, header};

/// Way in which clients send a credential; see [`Authenticate::credentials`](crate::Authenticate::credentials).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialScheme {
    /// Bearer token in `Authorization`.
    Bearer,
    /// Name and password in `Authorization` (RFC 7617).
    Basic,
    /// Secret in another header.
    Header {
        /// Name of the header.
        name: String,
    },
    /// Cookie of a session.
    Cookie {
        /// Name of the cookie.
        name: String,
        /// Header with the CSRF token that writes with a session need.
        csrf_header: Option<String>,
    },
}

impl CredentialScheme {
    /// Header that contains the credential.
    pub(crate) fn header(&self) -> Option<HeaderName> {
        match self {
            Self::Bearer | Self::Basic => Some(header::AUTHORIZATION),
            Self::Header { name } => HeaderName::try_from(name).ok(),
            Self::Cookie { .. } => Some(header::COOKIE),
        }
    }
}
