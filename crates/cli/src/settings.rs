//! Settings of the server, and their effect on an api.

use std::time::Duration;

use model_resource::{Api, Cors, ForwardedHeader, IpNetwork, Origin, QuerySyntax, Rate, ServerState};
#[cfg(feature = "accounts")]
use model_resource_security::{Account, Security};

/// Settings of the server, as `serve` reads them from the arguments, the environment and the file of settings.
///
/// The defaults are for tests: no limit of anonymous writes and of list queries, no log of requests, no metrics.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Query syntax that lists accept.
    pub query_syntax: QuerySyntax,
    /// Whether clients connect over TLS. If so, cookies are marked `Secure`.
    pub secure_cookies: bool,
    /// Other origins that may call the api. Named origins may do so with a session. `*` lets every page read responses,
    /// but without a session.
    pub cors_origins: Vec<Origin>,
    /// Proxies that are trusted to report the client's address.
    pub trusted_proxies: Vec<IpNetwork>,
    /// Header in which the trusted proxies report it.
    pub forwarded_header: ForwardedHeader,
    /// Anonymous writes that one client address may make per minute; 0 for any number.
    pub anonymous_writes_per_minute: u32,
    /// Maximum price of a list query; 0 for any price.
    pub query_budget: u64,
    /// Time for which the response of a request with an `Idempotency-Key` is stored; 24 hours by default.
    pub idempotency_key_lifetime: Option<Duration>,
    /// Whether responses are sent uncompressed even if the client accepts a coding.
    pub without_compression: bool,
    /// Secret that signs the cursors of lists; that of the database by default.
    pub cursor_secret: Option<String>,
    /// Time for which the account of a session or token is not read again.
    pub credential_cache: Duration,
    /// Whether metrics of requests are recorded.
    pub metrics: bool,
    /// Whether requests are logged.
    pub access_log: bool,
    /// State of the server, for the readiness check.
    pub server: ServerState,
}

impl Settings {
    /// Applies the settings to an api, except for those of its authenticator.
    pub fn apply(&self, api: Api) -> Api {
        let rate = self.anonymous_writes_per_minute;
        let budget = self.query_budget;
        let api = api
            .anonymous_write_rate((rate > 0).then(|| Rate::per_minute(rate)))
            .query_budget((budget > 0).then_some(budget))
            .trusted_proxies(self.trusted_proxies.iter().copied())
            .forwarded_header(self.forwarded_header)
            .query_syntax(self.query_syntax)
            .compression(!self.without_compression);
        let api = self.apply_origins(api);
        let api = if self.metrics { api.metrics() } else { api };
        let api = if self.access_log { api.access_log() } else { api };
        let api = match &self.cursor_secret {
            Some(secret) => api.cursor_secret(secret),
            None => api,
        };
        match self.idempotency_key_lifetime {
            Some(lifetime) => api.idempotency_key_lifetime(lifetime),
            None => api,
        }
    }

    /// Allows the origins, with a session if all of them are named.
    fn apply_origins(&self, api: Api) -> Api {
        let origins = self.cors_origins.iter().cloned();
        if self.cors_origins.is_empty() {
            api
        } else if self.allows_any_origin() {
            api.cors(Cors::origins(origins))
        } else {
            api.cors(Cors::origins(origins).with_credentials())
        }
    }

    fn allows_any_origin(&self) -> bool {
        self.cors_origins.iter().any(Origin::is_any)
    }

    /// Applies the settings to the authenticator of an api.
    #[cfg(feature = "accounts")]
    pub fn apply_to_security<A: Account>(&self, security: Security<A>) -> Security<A> {
        let security = security
            .secure_cookies(self.secure_cookies)
            .credential_cache(self.credential_cache);
        if self.allows_any_origin() {
            return security;
        }
        let origins = self.cors_origins.iter().cloned();
        origins.fold(security, Security::allow_origin)
    }
}
