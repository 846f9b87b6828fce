//! Giving credentials and taking them back.

use http::HeaderValue;
use model_resource::schema::calendar::now;
use model_resource::{Context, Draft, Error, Result, Store, Timestamp};

use crate::account::Account;
use crate::credential::Credential;
use crate::security::Security;
use crate::session::AuthSession;
use crate::token::AuthToken;
use crate::{cookie, credential_store, csrf};

/// A session that has just begun.
pub struct NewSession {
    /// The `Set-Cookie` that the answer must have.
    pub cookie: HeaderValue,
    /// What writes with the session need in the header `X-CSRFToken`.
    pub csrf_token: String,
}

impl<A: Account> Security<A> {
    /// Begins a session for the browser that sent the request, and ends the one that it had. A page of another site cannot
    /// ask for it: nobody is to work in another's account without knowing.
    ///
    /// An account has at most [`MAX_SESSIONS`](crate::MAX_SESSIONS): beyond them, the one that was not used for the longest
    /// time ends.
    pub async fn begin_session(&self, cx: &Context, account: &A) -> Result<NewSession> {
        let origins = &self.settings.origins;
        csrf::require_origin(cx, origins)?;
        self.end_session(cx).await?;
        let (secret, session) = AuthSession::begin(cx, account, self.settings.session_lifetime).await?;
        Ok(NewSession {
            cookie: cookie::set(&secret.shown(session.id), origins.is_secure),
            csrf_token: secret.csrf_token(),
        })
    }

    /// Ends what the request has shown, the session, the token or both; gives the `Set-Cookie` that the answer must have.
    pub async fn log_out(&self, cx: &Context) -> Result<HeaderValue> {
        self.end_session(cx).await?;
        end_token::<A>(cx).await?;
        Ok(cookie::remove(self.settings.origins.is_secure))
    }

    /// Issues a token to an account that has just proved itself by its password. The draft has its name, and may say when
    /// it ends. Only a hash of it is stored: it can be shown just now.
    ///
    /// An account has at most [`MAX_TOKENS`](crate::MAX_TOKENS): beyond them, the oldest token that this method issued ends.
    /// If all of them were issued by [`derive_token`](Self::derive_token), it is an error with status 409.
    pub async fn issue_token(
        &self,
        store: &Store,
        account: &A,
        mut token: Draft<AuthToken>,
    ) -> Result<(String, AuthToken)> {
        if token.get(AuthToken::EXPIRES_AT).is_none() {
            token.set(AuthToken::EXPIRES_AT, now() + self.settings.token_lifetime);
        }
        token.set(AuthToken::FROM_LOGIN, true);
        AuthToken::issue(store, account, token).await
    }

    /// Issues a token to the caller by the credential that the request has shown. If that is a token, the new one does not
    /// outlive it: a token that was stolen is worth nothing after its end.
    ///
    /// One beyond [`MAX_TOKENS`](crate::MAX_TOKENS) is an error with status 409.
    pub async fn derive_token(
        &self,
        cx: &Context,
        mut token: Draft<AuthToken>,
    ) -> Result<(String, AuthToken)> {
        let account = cx.caller().account::<A>().ok_or_else(|| cx.denied())?;
        let latest = self.latest_end(cx).await?;
        match token.get(AuthToken::EXPIRES_AT) {
            None => {
                let end = now() + self.settings.token_lifetime;
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
        AuthToken::issue(cx.store(), account, token).await
    }

    /// The end of the token that the request has shown, if it has shown one.
    async fn latest_end(&self, cx: &Context) -> Result<Option<Timestamp>> {
        let Some(id) = Credential::of(cx).and_then(Credential::token_id) else {
            return Ok(None);
        };
        let shown: Option<AuthToken> = cx.store().get(id).await?;
        let shown = shown.ok_or_else(Error::unauthorized)?;
        Ok(Some(shown.expires_at))
    }

    /// After a change of the password: lets what the request has shown go on, and ends all other sessions and tokens, which
    /// are worth nothing any more. The account is the one with the new password.
    pub async fn password_changed(&self, cx: &Context, account: &A) -> Result<()> {
        let shown = Credential::of(cx);
        let (session, token) = (
            shown.and_then(Credential::session_id),
            shown.and_then(Credential::token_id),
        );
        if let Some(id) = session {
            credential_store::keep::<AuthSession, A>(cx.store(), account, id).await?;
        }
        if let Some(id) = token {
            credential_store::keep::<AuthToken, A>(cx.store(), account, id).await?;
        }
        credential_store::end_others::<AuthSession, A>(cx.store(), account, session).await?;
        credential_store::end_others::<AuthToken, A>(cx.store(), account, token).await
    }

    /// Ends all sessions and tokens of an account, such as one that was disabled, by one statement for each of the two.
    pub async fn revoke_all(store: &Store, account: &A) -> Result<()> {
        credential_store::end_others::<AuthSession, A>(store, account, None).await?;
        credential_store::end_others::<AuthToken, A>(store, account, None).await
    }

    /// Ends the session of the request's cookie, also where a token beside it decides who asks: the browser loses the cookie
    /// with the answer, and nobody could end it any more.
    async fn end_session(&self, cx: &Context) -> Result<()> {
        let Some(value) = cookie::value(cx.headers(), self.settings.origins.is_secure) else {
            return Ok(());
        };
        if let Some((session, _, account)) =
            credential_store::find::<AuthSession, A>(cx.store(), value).await?
        {
            credential_store::end::<AuthSession, A>(cx.store(), &account, session.id).await?;
        }
        Ok(())
    }
}

/// Ends the token that the request has shown, if it has.
async fn end_token<A: Account>(cx: &Context) -> Result<()> {
    let id = Credential::of(cx).and_then(Credential::token_id);
    if let Some((id, account)) = id.zip(cx.caller().account::<A>()) {
        credential_store::end::<AuthToken, A>(cx.store(), account, id).await?;
    }
    Ok(())
}
