//! Ways in which clients send credentials.

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
