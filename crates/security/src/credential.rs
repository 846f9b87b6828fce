//! What a request has shown for whom it comes from.

use model_resource::Context;

use crate::secret::Secret;

/// What a request has shown for whom it comes from; see [`Credential::of`].
#[derive(Clone)]
pub struct Credential(pub(crate) CredentialKind);

#[derive(Clone)]
pub(crate) enum CredentialKind {
    /// The cookie of the session with this key.
    Session(i64, Secret),
    /// The token with this key.
    Token(i64),
}

impl Credential {
    /// That of a request, if it has shown a good one.
    pub fn of(cx: &Context) -> Option<&Self> {
        cx.extension()
    }

    /// The key of its session, if it is one.
    pub fn session_id(&self) -> Option<i64> {
        match &self.0 {
            CredentialKind::Session(id, _) => Some(*id),
            CredentialKind::Token(_) => None,
        }
    }

    /// The key of its token, if it is one.
    pub fn token_id(&self) -> Option<i64> {
        match &self.0 {
            CredentialKind::Token(id) => Some(*id),
            CredentialKind::Session(..) => None,
        }
    }

    /// What writes with its session need in the header `X-CSRFToken`.
    pub fn csrf_token(&self) -> Option<String> {
        match &self.0 {
            CredentialKind::Session(_, secret) => Some(secret.csrf_token()),
            CredentialKind::Token(_) => None,
        }
    }
}
