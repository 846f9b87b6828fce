//! Issues and revokes credentials.

use http::HeaderValue;
use http::header::USER_AGENT;
use model_resource::{Context, Draft, Error, Result, Store, Timestamp};

use crate::account::Account;
use crate::credential::Credential;
use crate::credential_batch::CredentialRead;
use crate::secret::Secret;
use crate::security::Security;
use crate::session::AuthSession;
use crate::token::AuthToken;
use crate::{cookie, credential_store, csrf, read_batches};

/// Session that has just begun.
pub struct NewSession {
    /// `Set-Cookie` header that the response must have.
    pub cookie: HeaderValue,
    /// CSRF token that writes with the session must send in the header `X-CSRFToken`.
    pub csrf_token: String,
}

impl<A: Account> Security<A> {
    /// Begins a session for the browser that sent the request, and ends its previous one. Requests from other sites are
    /// rejected, so that no page can log its visitor into another account.
    ///
    /// An account has at most [`MAX_SESSIONS`](crate::MAX_SESSIONS); the least recently used session beyond them ends.
    pub async fn begin_session(&self, cx: &Context, account: &A) -> Result<NewSession> {
        let origins = &self.settings.origins;
        csrf::require_origin(cx, origins)?;
        let agent = cx.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok());
        let session = self.issue_session(cx.store_unchecked(), account, agent).await?;
        // Afterwards, so that a login that fails leaves the previous session as it is.
        self.end_session(cx).await?;
        Ok(session)
    }

    /// Begins a session of an account outside of a request, such as that of a test or of a login by another service.
    pub async fn issue_session(
        &self,
        store: &Store,
        account: &A,
        user_agent: Option<&str>,
    ) -> Result<NewSession> {
        let lifetime = self.settings.session_lifetime;
        let (secret, session) = AuthSession::begin(store, user_agent, account, lifetime).await?;
        Ok(NewSession {
            cookie: cookie::set(&secret.shown(session.id), self.settings.origins.is_secure),
            csrf_token: secret.csrf_token(),
        })
    }

    /// Revokes the request's credentials: the session, the token or both. Returns the `Set-Cookie` header that the
    /// response must have.
    pub async fn log_out(&self, cx: &Context) -> Result<HeaderValue> {
        self.end_session(cx).await?;
        end_token::<A>(cx).await?;
        Ok(cookie::remove(self.settings.origins.is_secure))
    }

    /// Issues a token to an account that has just been authenticated by its password. The draft holds its name, and
    /// optionally its expiry. Only a hash is stored, so the token can be shown only once.
    ///
    /// An account has at most [`MAX_TOKENS`](crate::MAX_TOKENS); beyond them, the oldest token that this method issued
    /// is revoked. If all of them were issued by [`derive_token`](Self::derive_token), it is an error with status 409.
    pub async fn issue_token(
        &self,
        store: &Store,
        account: &A,
        mut token: Draft<AuthToken>,
    ) -> Result<(String, AuthToken)> {
        if token.get(AuthToken::EXPIRES_AT).is_none() {
            token.set(AuthToken::EXPIRES_AT, store.now() + self.settings.token_lifetime);
        }
        token.set(AuthToken::FROM_LOGIN, true);
        AuthToken::issue(store, account, token).await
    }

    /// Issues a token to the caller, authorized by the request's own credential. If that is a token, the new one
    /// expires no later, so that a stolen token is of no use after its expiry.
    ///
    /// A token beyond [`MAX_TOKENS`](crate::MAX_TOKENS) is an error with status 409.
    pub async fn derive_token(
        &self,
        cx: &Context,
        mut token: Draft<AuthToken>,
    ) -> Result<(String, AuthToken)> {
        let account = cx.caller().account::<A>().ok_or_else(|| cx.denied())?;
        let latest = self.latest_end(cx).await?;
        match token.get(AuthToken::EXPIRES_AT) {
            None => {
                let end = cx.now() + self.settings.token_lifetime;
                token.set(
                    AuthToken::EXPIRES_AT,
                    latest.map_or(end, |latest| latest.min(end)),
                );
            }
            Some(end) => {
                if let Some(latest) = latest.filter(|latest| end > *latest) {
                    let message = format!("Must not be after the end of the token that you show, {latest}.");
                    return Err(Error::field("expiresAt", message));
                }
            }
        }
        token.set(AuthToken::FROM_LOGIN, false);
        AuthToken::issue(cx.store_unchecked(), account, token).await
    }

    /// Expiry of the request's token, if it has one.
    async fn latest_end(&self, cx: &Context) -> Result<Option<Timestamp>> {
        let Some(id) = Credential::of(cx).and_then(Credential::token_id) else {
            return Ok(None);
        };
        let shown: Option<AuthToken> = cx.store_unchecked().get(id).await?;
        let shown = shown.ok_or_else(Error::unauthorized)?;
        Ok(Some(shown.expires_at))
    }

    /// Keeps the request's credential valid after a change of the password, and revokes all other sessions and tokens.
    /// The account must have the new password.
    pub async fn password_changed(&self, cx: &Context, account: &A) -> Result<()> {
        let shown = Credential::of(cx);
        let (session, token) = (
            shown.and_then(Credential::session_id),
            shown.and_then(Credential::token_id),
        );
        if let Some(id) = session {
            credential_store::keep::<AuthSession, A>(cx.store_unchecked(), account, id).await?;
        }
        if let Some(id) = token {
            credential_store::keep::<AuthToken, A>(cx.store_unchecked(), account, id).await?;
        }
        credential_store::end_others::<AuthSession, A>(cx.store_unchecked(), account, session).await?;
        credential_store::end_others::<AuthToken, A>(cx.store_unchecked(), account, token).await
    }

    /// Revokes all sessions and tokens of an account, such as one that was disabled, with one statement each.
    pub async fn revoke_all(store: &Store, account: &A) -> Result<()> {
        credential_store::end_others::<AuthSession, A>(store, account, None).await?;
        credential_store::end_others::<AuthToken, A>(store, account, None).await
    }

    /// Ends the session of the request's cookie, even if a token authenticated the request: the browser loses the
    /// cookie with the response, and could not end the session any more.
    async fn end_session(&self, cx: &Context) -> Result<()> {
        let Some(value) = cookie::value(cx.headers(), self.settings.origins.is_secure) else {
            return Ok(());
        };
        let Some((id, secret)) = Secret::read(value) else {
            return Ok(());
        };
        let store = cx.store_unchecked();
        let read = CredentialRead::<AuthSession, A>::new(store, id, &secret);
        if let Some(found) = read_batches::run_alone(read).await? {
            credential_store::end::<AuthSession, A>(store, &found.account, id).await?;
        }
        Ok(())
    }
}

/// Revokes the request's token, if it has one.
async fn end_token<A: Account>(cx: &Context) -> Result<()> {
    let id = Credential::of(cx).and_then(Credential::token_id);
    if let Some((id, account)) = id.zip(cx.caller().account::<A>()) {
        credential_store::end::<AuthToken, A>(cx.store_unchecked(), account, id).await?;
    }
    Ok(())
}
