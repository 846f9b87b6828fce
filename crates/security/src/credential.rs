//! What a request has shown for whom it comes from.

use model_resource::Context;

use crate::secret::Secret;

/// What a request has shown for whom it comes from; see [`Credential::of`].
#[derive(Clone)]
pub struct Credential(pub(crate) Shown);

#[derive(Clone)]
pub(crate) enum Shown {
    /// The cookie of the session with this key.
    Session(i64, Secret),
    /// The token with this key.
    Token(i64),
}

impl Credential {
    /// That of a request, if it has shown a good one.
    pub fn of(cx: &Context) -> Option<&Self> {
        cx.value()
    }

    /// The key of its session, if it is one.
    pub fn session_id(&self) -> Option<i64> {
        match &self.0 {
            Shown::Session(id, _) => Some(*id),
            Shown::Token(_) => None,
        }
    }

    /// The key of its token, if it is one.
    pub fn token_id(&self) -> Option<i64> {
        match &self.0 {
            Shown::Token(id) => Some(*id),
            Shown::Session(..) => None,
        }
    }

    /// What writes with its session need in the header `X-CSRFToken`.
    pub fn csrf_token(&self) -> Option<String> {
        match &self.0 {
            Shown::Session(_, secret) => Some(secret.csrf_token()),
            Shown::Token(_) => None,
        }
    }
}
