//! Credential that authenticated a request.

use model_resource::Context;

use crate::secret::Secret;

/// Session or token that authenticated a request; see [`Credential::of`].
#[derive(Clone)]
pub struct Credential(pub(crate) CredentialKind);

#[derive(Clone)]
pub(crate) enum CredentialKind {
    /// Cookie of the session with this key.
    Session(i64, Secret),
    /// Bearer token with this key.
    Token(i64),
}

impl Credential {
    /// Returns the credential of a request, if it was authenticated.
    pub fn of(cx: &Context) -> Option<&Self> {
        cx.caller().credential()
    }

    /// Key of the session, if the credential is one.
    pub fn session_id(&self) -> Option<i64> {
        match &self.0 {
            CredentialKind::Session(id, _) => Some(*id),
            CredentialKind::Token(_) => None,
        }
    }

    /// Key of the token, if the credential is one.
    pub fn token_id(&self) -> Option<i64> {
        match &self.0 {
            CredentialKind::Token(id) => Some(*id),
            CredentialKind::Session(..) => None,
        }
    }

    /// CSRF token that writes with the session must send in the header `X-CSRFToken`.
    pub fn csrf_token(&self) -> Option<String> {
        match &self.0 {
            CredentialKind::Session(_, secret) => Some(secret.csrf_token()),
            CredentialKind::Token(_) => None,
        }
    }
}
