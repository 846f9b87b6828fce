//! Authentication of a request by its credentials.

use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, header};
use model_resource::{
    Authenticate, Caller, Context, CredentialScheme, CsrfToken, Error, Result, Store, Table,
};

use crate::account::{Account, key_of};
use crate::credential::{Credential, CredentialKind};
use crate::credential_cache::{Authenticated, Revision};
use crate::credential_lookup::CredentialLookup;
use crate::credential_store::StoredCredential;
use crate::secret::Secret;
use crate::security::Security;
use crate::{cookie, csrf};

impl<A: Account> Authenticate for Security<A> {
    /// Authenticates by bearer token first; an invalid token is answered with 401, because a client sends one on
    /// purpose. Browsers send cookies automatically, so an invalid cookie is ignored.
    async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
        let found = match bearer_token(cx.headers())? {
            Some(token) => Some(self.find_token(cx.store_unchecked(), token).await?),
            None => match cookie::value(cx.headers(), self.settings.origins.is_secure) {
                Some(value) => self.find_session(cx, value).await?,
                None => None,
            },
        };
        Ok(found.unwrap_or_default())
    }

    fn accounts(&self) -> Option<&'static Table> {
        Some(A::table())
    }

    /// A bearer token, or the cookie of a session with its CSRF token.
    fn credentials(&self) -> Vec<CredentialScheme> {
        let cookie = CredentialScheme::Cookie {
            name: cookie::name(self.settings.origins.is_secure).to_owned(),
            csrf_header: Some(csrf::HEADER.to_owned()),
        };
        vec![CredentialScheme::Bearer, cookie]
    }

    fn credential_headers(&self) -> Vec<HeaderName> {
        vec![header::AUTHORIZATION, header::COOKIE, ALIAS]
    }

    fn csrf_token(&self, cx: &Context) -> Option<CsrfToken> {
        let token = Credential::of(cx)?.csrf_token()?;
        Some(CsrfToken {
            header: csrf::TOKEN,
            token,
        })
    }
}

impl<A: Account> Security<A> {
    async fn find_token(&self, store: &Store, token: &str) -> Result<Caller> {
        let (id, secret) = Secret::read(token).ok_or_else(Error::unauthorized)?;
        let kind = |id, _: &Secret| CredentialKind::Token(id);
        let found = self.find(&self.tokens, store, (id, &secret), kind).await?;
        let found = found.ok_or_else(Error::unauthorized)?;
        Ok(found.caller.clone())
    }

    async fn find_session(&self, cx: &Context, cookie: &str) -> Result<Option<Caller>> {
        let Some((id, secret)) = Secret::read(cookie) else {
            return Ok(None);
        };
        let kind = |id, secret: &Secret| CredentialKind::Session(id, secret.clone());
        let found = self.find(&self.sessions, cx.store_unchecked(), (id, &secret), kind);
        let Some(found) = found.await? else {
            return Ok(None);
        };
        csrf::require_token(cx, &secret, &self.settings.origins)?;
        found
            .credential
            .extend(cx.store_unchecked(), self.settings.session_lifetime);
        Ok(Some(found.caller.clone()))
    }

    /// Returns a valid credential with its caller, from the cache if nothing has changed since they were read.
    async fn find<I: StoredCredential>(
        &self,
        lookup: &CredentialLookup<I, A>,
        store: &Store,
        (id, secret): (i64, &Secret),
        kind: fn(i64, &Secret) -> CredentialKind,
    ) -> Result<Option<Arc<Authenticated<I>>>> {
        // Before anything is read, so that a change meanwhile is noticed.
        let foreign_commits = store.foreign_commit_count();
        let max_age = self.settings.cache_time(foreign_commits.is_some());
        let revision = max_age.map(|max_age| Revision::current::<I, A>(store, foreign_commits, max_age));
        if let Some(revision) = revision
            && let Some(recent) = lookup.recent.get(store, (id, secret), revision)
            && recent.caller.account().is_none_or(A::is_active)
        {
            return Ok(Some(recent));
        }
        // Boxed, because most requests find a recent credential or send none.
        let Some(read) = Box::pin(lookup.read(store, id, secret)).await? else {
            return Ok(None);
        };
        let (credential, caller) = (read.credential, self.caller_of(read.account, read.roles));
        let found = Arc::new(Authenticated {
            credential,
            secret: secret.clone(),
            caller: caller.with_credential(Credential(kind(id, secret))),
        });
        if let Some(revision) = revision {
            lookup.recent.insert(store, id, revision, Arc::clone(&found));
        }
        Ok(Some(found))
    }

    /// Returns the caller for an account: its key, its roles and all roles that these include. Roles in tables are read
    /// with one statement. The method does not check whether the account is active. The caller has no
    /// [`Credential`], so that a logout of a request with this caller ends none.
    ///
    /// ```
    /// # use model_resource::{Field, Model, Store};
    /// # use model_resource_security::{Account, Roles, Security};
    /// # #[derive(Debug, Clone, Model)]
    /// # struct Member {
    /// #     #[column(primary_key)]
    /// #     id: i64,
    /// #     #[column(unique)]
    /// #     name: String,
    /// #     #[column(hidden)]
    /// #     password_hash: String,
    /// #     #[column(hidden)]
    /// #     roles: String,
    /// # }
    /// # impl Account for Member {
    /// #     const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
    /// #     const PASSWORD_HASH: Field<Self, String> = Member::PASSWORD_HASH;
    /// #     const ROLES: Roles<Self> = Roles::words(Member::ROLES);
    /// # }
    /// # #[tokio::main]
    /// # async fn main() -> model_resource::Result<()> {
    /// # let store = Store::open("sqlite::memory:").await?;
    /// # let member = Member { id: 7, name: String::new(), password_hash: String::new(), roles: "admin".to_owned() };
    /// let security = Security::<Member>::new().role_includes("admin", ["editor"]);
    /// let caller = security.caller(&store, member).await?;
    /// assert!(caller.is(7_i64) && caller.has_role("admin") && caller.has_role("editor"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn caller(&self, store: &Store, account: A) -> Result<Caller> {
        let in_tables = match A::ROLES.tables() {
            Some(tables) => tables.load(store, vec![key_of(&account)]).await?,
            None => Vec::new(),
        };
        let in_tables = in_tables.into_iter().map(|(_, role)| role).collect();
        Ok(self.caller_of(account, in_tables))
    }

    /// Returns the caller for an account with these roles in tables.
    fn caller_of(&self, account: A, in_tables: Vec<String>) -> Caller {
        let mut roles = account.roles();
        roles.extend(in_tables);
        let roles = self.settings.hierarchy.expand(roles);
        let caller = Caller::with_key(key_of(&account)).with_roles(roles);
        let caller = match account.name() {
            Some(name) => caller.with_name(name),
            None => caller,
        };
        caller.with_account(account)
    }
}

/// Other header of the token.
const ALIAS: HeaderName = HeaderName::from_static("authentication-token");

/// Returns the token of `Authorization: Bearer` or `Authentication-Token`. More than one credential, or an unreadable
/// one, is rejected.
fn bearer_token(headers: &HeaderMap) -> Result<Option<&str>> {
    let mut found = None;
    for value in headers.get_all(AUTHORIZATION) {
        let text = value.to_str().map_err(|_| Error::unauthorized())?;
        let (scheme, token) = text.split_once(' ').ok_or_else(Error::unauthorized)?;
        if !scheme.eq_ignore_ascii_case("bearer") || found.replace(token.trim()).is_some() {
            return Err(Error::unauthorized());
        }
    }
    for value in headers.get_all(ALIAS) {
        let token = value.to_str().map_err(|_| Error::unauthorized())?;
        if found.replace(token).is_some() {
            return Err(Error::unauthorized());
        }
    }
    Ok(found)
}
