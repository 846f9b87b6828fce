//! Settings of the server, and their effect on an api.

use std::time::Duration;

use model_resource::{Api, Cors, ForwardedHeader, IpNetwork, Origin, QuerySyntax, Rate, ServerState};
#[cfg(feature = "accounts")]
use model_resource_security::{Account, Security};

/// Settings of the server, as `serve` reads them from the arguments, the environment and the file of settings.
///
/// `None` leaves a setting of the api unchanged. By default all are, and requests are neither logged nor measured.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Query syntax that lists accept.
    pub query_syntax: Option<QuerySyntax>,
    /// Whether clients connect over TLS. If so, cookies are marked `Secure`.
    pub secure_cookies: bool,
    /// Other origins that may call the api. Named origins may do so with a session. `*` lets every page read responses,
    /// but without a session.
    pub cors_origins: Vec<Origin>,
    /// Proxies that are trusted to report the client's address, instead of those of the api.
    pub trusted_proxies: Vec<IpNetwork>,
    /// Header in which the trusted proxies report it.
    pub forwarded_header: Option<ForwardedHeader>,
    /// Anonymous writes that one client address may make per minute; 0 for any number.
    pub anonymous_writes_per_minute: Option<u32>,
    /// Maximum price of a list query; 0 for any price.
    pub query_budget: Option<u64>,
    /// Searches that one caller may run at the same time; 0 for any number.
    pub searches_per_caller: Option<u32>,
    /// Timeout of a request, including its body.
    pub timeout: Option<Duration>,
    /// Maximum request body in bytes.
    pub body_limit: Option<usize>,
    /// Time for which the response of a request with an `Idempotency-Key` is stored.
    pub idempotency_key_lifetime: Option<Duration>,
    /// Whether responses are compressed if the client accepts a coding.
    pub compression: Option<bool>,
    /// Secret that signs the cursors of lists; that of the database by default.
    pub cursor_secret: Option<String>,
    /// Time for which the account of a session or token is not read again; that of the application by default.
    pub credential_cache: Option<Duration>,
    /// Whether metrics of requests are recorded.
    pub metrics: bool,
    /// Whether requests are logged.
    pub access_log: bool,
    /// State of the server, for the readiness check.
    pub server: ServerState,
}

impl Settings {
    /// Settings without a limit of anonymous writes and of list queries, for tests.
    pub fn unlimited() -> Self {
        Self {
            anonymous_writes_per_minute: Some(0),
            query_budget: Some(0),
            ..Self::default()
        }
    }

    /// Applies the settings to an api, except for those of its authenticator.
    pub fn apply(&self, api: Api) -> Api {
        let proxies = Some(&self.trusted_proxies).filter(|proxies| !proxies.is_empty());
        let api = set(api, proxies, |api, proxies| {
            api.trusted_proxies(proxies.iter().copied())
        });
        let api = set(api, self.anonymous_writes_per_minute, |api, rate| {
            api.anonymous_write_rate((rate > 0).then(|| Rate::per_minute(rate)))
        });
        let api = set(api, self.query_budget, Api::query_budget);
        let api = set(api, self.searches_per_caller, |api, max| {
            api.searches_per_caller((max > 0).then_some(max as usize))
        });
        let api = set(api, self.timeout, Api::timeout);
        let api = set(api, self.body_limit, Api::body_limit);
        let api = set(api, self.forwarded_header, Api::forwarded_header);
        let api = set(api, self.query_syntax, Api::query_syntax);
        let api = set(api, self.compression, Api::compression);
        let api = set(api, self.cursor_secret.as_ref(), |api, secret| {
            api.cursor_secret(secret)
        });
        let api = set(api, self.idempotency_key_lifetime, Api::idempotency_key_lifetime);
        let api = self.apply_origins(api);
        let api = if self.metrics { api.metrics() } else { api };
        if self.access_log { api.access_log() } else { api }
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
        let mut security = security.secure_cookies(self.secure_cookies);
        if let Some(time) = self.credential_cache {
            security = security.credential_cache(time);
        }
        if self.allows_any_origin() {
            return security;
        }
        let origins = self.cors_origins.iter().cloned();
        origins.fold(security, Security::allow_origin)
    }
}

/// Sets a part of an api, if there is a value.
fn set<T>(api: Api, value: Option<T>, change: impl FnOnce(Api, T) -> Api) -> Api {
    match value {
        Some(value) => change(api, value),
        None => api,
    }
}
