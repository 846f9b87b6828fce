//! Authenticator of an application, and its settings.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use model_resource::{Context, Error, FromContext, Model, Origin, Result, Table};

use crate::account::{Account, Hierarchy};
use crate::credential_lookup::CredentialLookup;
use crate::csrf::AllowedOrigins;
use crate::session::AuthSession;
use crate::token::AuthToken;

/// Time for which a credential is cached if the store notices all changes. It limits how long an account counts as what
/// it was, whose roles depend on the time of day.
const MAX_CACHE_TIME: Duration = Duration::from_secs(10);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Maximum lifetime of a credential, so that its end is a valid time.
const MAX_LIFETIME: Duration = DAY.saturating_mul(100 * 365);

/// Authenticator of an api: by session cookie or by bearer token.
///
/// Register it with the api, whose views and operations can then take it as an argument:
///
/// ```
/// use model_resource::{Api, Field, Model};
/// use model_resource_security::{Account, Security};
///
/// #[derive(Debug, Clone, Model)]
/// struct Member {
///     #[column(primary_key)]
///     id: i64,
///     #[column(unique)]
///     name: String,
///     #[column(hidden)]
///     password_hash: String,
///     is_admin: bool,
/// }
///
/// impl Account for Member {
///     const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
///     const PASSWORD_HASH: Field<Self, String> = Member::PASSWORD_HASH;
///
///     fn roles(&self) -> Vec<String> {
///         self.is_admin.then(|| "admin".to_owned()).into_iter().collect()
///     }
/// }
///
/// let security = Security::<Member>::new()
///     .role_includes("admin", ["editor"])
///     .secure_cookies(true);
/// let api = Api::new("club").authenticator(security);
/// ```
pub struct Security<A> {
    pub(crate) settings: Arc<SecuritySettings>,
    pub(crate) tokens: Arc<CredentialLookup<AuthToken, A>>,
    pub(crate) sessions: Arc<CredentialLookup<AuthSession, A>>,
}

#[derive(Clone)]
pub(crate) struct SecuritySettings {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) origins: AllowedOrigins,
    pub(crate) session_lifetime: Duration,
    pub(crate) token_lifetime: Duration,
    /// Time for which changes by other processes may go unnoticed.
    pub(crate) credential_cache: Option<Duration>,
}

impl<A: Account> Security<A> {
    /// Creates the default settings: sessions end after 14 days without a request, tokens after 30 days, cookies do not
    /// require TLS, and only the application's own origin is allowed.
    pub fn new() -> Self {
        Self {
            settings: Arc::new(SecuritySettings {
                hierarchy: Hierarchy::default(),
                origins: AllowedOrigins::default(),
                session_lifetime: 14 * DAY,
                token_lifetime: 30 * DAY,
                credential_cache: None,
            }),
            tokens: Arc::default(),
            sessions: Arc::default(),
        }
    }

    /// Makes a role include other roles, and all roles that these include.
    pub fn role_includes(
        self,
        role: impl Into<String>,
        others: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.with(|settings| {
            let others = others.into_iter().map(Into::into);
            settings.hierarchy.add(role.into(), others);
        })
    }

    /// Sets whether the application is reached over TLS. If so, browsers send the cookie over TLS only, and only pages
    /// of `https` count as the application's own.
    pub fn secure_cookies(self, is_secure: bool) -> Self {
        self.with(|settings| settings.origins.is_secure = is_secure)
    }

    /// Allows pages of another origin, such as `https://app.example.com`, to write with a session.
    ///
    /// # Panics
    /// If it is not an origin, or `*`, which would let every page act as its visitor.
    #[track_caller]
    pub fn allow_origin(self, origin: impl TryInto<Origin, Error: Display>) -> Self {
        let origin = match origin.try_into() {
            Ok(origin) => origin,
            Err(mistake) => panic!("allow_origin: {mistake}"),
        };
        assert!(
            !origin.is_any(),
            "allow_origin: any origin (`*`) would let every page act as its visitor: name the origins"
        );
        self.with(|settings| settings.origins.allowed.push(origin))
    }

    /// Sets the time without a request after which a session ends.
    pub fn session_lifetime(self, lifetime: Duration) -> Self {
        self.with(|settings| settings.session_lifetime = lifetime.min(MAX_LIFETIME))
    }

    /// Sets the lifetime of tokens issued without an expiry.
    pub fn token_lifetime(self, lifetime: Duration) -> Self {
        self.with(|settings| settings.token_lifetime = lifetime.min(MAX_LIFETIME))
    }

    /// Caches credentials and their accounts for this time, although other processes may change them meanwhile. A time of
    /// zero turns the cache off.
    ///
    /// Changes through the store of this process, such as a logout or a disabled account, take effect at the next request in
    /// any case. So do changes by other processes on SQLite, where the store notices them
    /// ([`foreign_commit_count`](model_resource::Store::foreign_commit_count)); there the cache is on by default. On
    /// PostgreSQL they take effect after this time at the latest, and by default every request reads its credential and
    /// its account, by statements that it shares with concurrent requests. A quarter of a second is enough to avoid both
    /// reads for callers who send many requests.
    pub fn credential_cache(self, time: Duration) -> Self {
        self.with(|settings| settings.credential_cache = Some(time))
    }

    /// Changes the settings. The result does not share credentials with clones that have other settings, since those
    /// decide on the roles of cached callers.
    fn with(self, change: impl FnOnce(&mut SecuritySettings)) -> Self {
        let mut settings = self.settings;
        change(Arc::make_mut(&mut settings));
        Self {
            settings,
            tokens: Arc::default(),
            sessions: Arc::default(),
        }
    }

    /// Tables that the authenticator needs, in addition to that of the accounts: those of sessions and tokens, and of
    /// roles, if the roles are in tables.
    pub fn tables() -> Vec<&'static Table> {
        let mut tables = vec![AuthSession::table(), AuthToken::table()];
        if let Some(roles) = A::ROLES.tables() {
            tables.extend((roles.tables)());
        }
        tables
    }
}

impl SecuritySettings {
    /// Time for which a credential may be cached, if there is one. A store that notices all changes needs no short time.
    pub(crate) fn cache_time(&self, notices_all_changes: bool) -> Option<Duration> {
        match self.credential_cache {
            Some(Duration::ZERO) => None,
            _ if notices_all_changes => Some(MAX_CACHE_TIME),
            time => time,
        }
    }
}

impl<A: Account> Default for Security<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A> Clone for Security<A> {
    fn clone(&self) -> Self {
        Self {
            settings: Arc::clone(&self.settings),
            tokens: Arc::clone(&self.tokens),
            sessions: Arc::clone(&self.sessions),
        }
    }
}

impl<A> std::fmt::Debug for Security<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Security").finish_non_exhaustive()
    }
}

impl<A: Account> FromContext for Security<A> {
    async fn from_context(cx: &mut Context) -> Result<Self> {
        let known = cx.authenticator::<Self>().cloned();
        known.ok_or_else(|| {
            Error::internal("this api has no such security: add `.authenticator(Security::new())`")
        })
    }
}
