//! Who sends a request, by what it shows.

use model_resource::{Caller, Context, Error, Identify, Result};

use crate::account::Account;
use crate::credential::{Credential, Shown};
use crate::security::Security;
use crate::session::AuthSession;
use crate::token::AuthToken;
use crate::{bearer, cookie, csrf, issued};

impl<A: Account> Identify for Security<A> {
    /// A bearer token decides, and is a 401 if it is not good: who shows one means it. A cookie is sent by browsers of their
    /// own accord, so that one which is not good is none.
    async fn identify(&self, cx: &mut Context) -> Result<Caller> {
        let (shown, account) = match bearer::token(cx.headers())? {
            Some(token) => {
                let found = issued::find::<AuthToken, A>(cx.store(), token).await?;
                let (token, _, account) = found.ok_or_else(Error::unauthorized)?;
                (Some(Shown::Token(token.id)), Some(account))
            }
            None => match self.find_session(cx).await? {
                Some((shown, account)) => (Some(shown), Some(account)),
                None => (None, None),
            },
        };
        cx.insert(self.clone());
        if let Some(shown) = shown {
            cx.insert(Credential(shown));
        }
        Ok(account.map_or_else(Caller::anonymous, |account| self.caller(account)))
    }
}

impl<A: Account> Security<A> {
    async fn find_session(&self, cx: &Context) -> Result<Option<(Shown, A)>> {
        let origins = &self.settings.origins;
        let Some(value) = cookie::value(cx.headers(), origins.is_secure) else {
            return Ok(None);
        };
        let Some((session, secret, account)) = issued::find::<AuthSession, A>(cx.store(), value).await?
        else {
            return Ok(None);
        };
        csrf::require_token(cx, &secret, origins)?;
        session.put_off(cx.store(), self.settings.session_lifetime);
        Ok(Some((Shown::Session(session.id, secret), account)))
    }

    fn caller(&self, account: A) -> Caller {
        let key = account.value(A::table().primary_key).to_value();
        let roles = self.settings.hierarchy.expand(account.roles());
        Caller::with_key(key).with_roles(roles).with_account(account)
    }
}
