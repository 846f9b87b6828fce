//! Authentication for apis of model-resource: sessions and bearer tokens, passwords, roles, and the guards that require
//! them.
//!
//! An application defines its user model ([`Account`]), sets a [`Security`] as the authenticator of its api, and registers
//! the routes of accounts ([`Security::routes`]): registration, login, logout, status, password, tokens, sessions. From
//! then on every request has an authenticated or anonymous `Context::caller`, and writes are denied unless something
//! allows them:
//!
//! ```
//! use axum::body::{Body, to_bytes};
//! use http::{Request, header};
//! use model_resource::{Api, ApiService, Field, Model, Reply, Result, Store, route};
//! use model_resource_security::{Account, CurrentUser, Roles, Security, auth_required};
//! use serde_json::{Value, json};
//! use tower::ServiceExt;
//!
//! #[derive(Debug, Clone, Model)]
//! struct Member {
//!     #[column(primary_key)]
//!     id: i64,
//!     #[column(unique, min_length = 2)]
//!     name: String,
//!     #[column(hidden)]
//!     password_hash: String,
//!     #[column(hidden, default = true)]
//!     is_active: bool,
//!     #[column(hidden, default = "")]
//!     roles: String,
//! }
//!
//! impl Account for Member {
//!     const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
//!     const PASSWORD_HASH: Field<Self, String> = Member::PASSWORD_HASH;
//!     const ACTIVE: Option<Field<Self, bool>> = Some(Member::IS_ACTIVE);
//!     const ROLES: Roles<Self> = Roles::words(Member::ROLES).known(&["admin"]);
//! }
//!
//! #[route("/whoami", decorators = [auth_required()])]
//! async fn whoami(CurrentUser(member): CurrentUser<Member>) -> Result<Reply> {
//!     Reply::json(&member.map(|member| member.name))
//! }
//!
//! async fn post(service: &ApiService, url: &str, body: Value) -> Result<Value, Box<dyn std::error::Error>> {
//!     let request = Request::post(url)
//!         .header(header::HOST, "localhost")
//!         .header(header::CONTENT_TYPE, "application/json")
//!         .body(Body::from(body.to_string()))?;
//!     let response = service.clone().oneshot(request).await?;
//!     assert!(response.status().is_success());
//!     Ok(serde_json::from_slice(&to_bytes(response.into_body(), 10_000).await?)?)
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let api = Api::new("club")
//!     .authenticator(Security::<Member>::new())
//!     .register(Security::<Member>::routes())
//!     .route(whoami);
//! let store = Store::open("sqlite::memory:").await?;
//! store.create_tables(&api.tables()).await?;
//! let service = api.store(store).into_service();
//!
//! let ann = json!({"name": "ann", "password": "correct horse"});
//! assert_eq!(post(&service, "/auth/register", ann.clone()).await?, json!({"id": 1, "name": "ann"}));
//! let login = post(&service, "/auth/login", ann).await?;
//!
//! let request = Request::get("/whoami")
//!     .header(header::HOST, "localhost")
//!     .header(header::AUTHORIZATION, format!("Bearer {}", login["token"].as_str().unwrap_or_default()))
//!     .body(Body::empty())?;
//! let response = service.oneshot(request).await?;
//! assert_eq!(to_bytes(response.into_body(), 100).await?, r#""ann""#);
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! | Feature | Adds |
//! |---|---|
//! | `sqlite`, `postgres` | the databases |
//! | `tls` | TLS connections to PostgreSQL |
//! | `openapi` | the schemas of the account routes in the OpenAPI document |
//! | `pages` | the options of their HTML pages |
//!
//! All except `postgres` and `tls` are enabled by default.

mod account;
mod account_changes;
mod account_names;
mod account_operations;
mod account_serializer;
mod authenticate;
mod column_text;
mod cookie;
mod credential;
mod credential_batch;
mod credential_cache;
mod credential_lookup;
mod credential_store;
mod csrf;
mod current_user;
mod decorators;
mod limits;
mod login;
mod names;
mod password;
mod read_batches;
mod role_tables;
mod roles;
mod routes;
mod scope;
mod secret;
mod security;
mod session;
mod token;

pub use account::{Account, MAX_PASSWORD};
pub use account_serializer::{
    AccountSerializer, NewAccountSerializer, OLD_PASSWORD, account_fields, new_account_fields,
};
pub use credential::Credential;
pub use current_user::CurrentUser;
pub use decorators::{
    AnonymousUserRequired, AuthRequired, AuthRequiredSameUser, anonymous_user_required, auth_required,
    auth_required_same_user, roles_accepted, roles_required,
};
pub use limits::AccountLimits;
pub use login::NewSession;
pub use names::{check_username, normalize_name};
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use password::hash_cheaply_in_this_process;
pub use password::{hash_password, verify_password};
pub use roles::Roles;
pub use routes::{AccountRoute, AccountRoutes};
pub use security::Security;
pub use session::{AuthSession, MAX_SESSIONS, SessionPolicy, SessionSerializer};
pub use token::{AuthToken, MAX_TOKENS, TokenPolicy, TokenSerializer};
