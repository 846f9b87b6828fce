//! Authentication for apis of model-resource: sessions and bearer tokens, passwords, roles, and the guards that require
//! them.
//!
//! An application defines its user model ([`Account`]) and sets a [`Security`] as the authenticator of its api. From
//! then on every request has an authenticated or anonymous `Context::caller`, writes are denied unless something allows
//! them, and views log users in and out:
//!
//! ```
//! use axum::body::{Body, to_bytes};
//! use http::{Request, StatusCode, header};
//! use model_resource::{Api, Context, Draft, JsonBody, Model, Query, Reply, Result, Store, run_cpu_bound, route};
//! use model_resource_security::{Account, CurrentUser, Security, auth_required, hash_password, verify_password};
//! use serde::Deserialize;
//! use serde_json::json;
//! use tower::ServiceExt;
//!
//! #[derive(Debug, Clone, Model)]
//! struct Member {
//!     #[column(primary_key)]
//!     id: i64,
//!     #[column(unique)]
//!     name: String,
//!     #[column(hidden)]
//!     password_hash: String,
//! }
//!
//! impl Account for Member {
//!     fn password_hash(&self) -> &str {
//!         &self.password_hash
//!     }
//!
//!     fn is_active(&self) -> bool {
//!         true
//!     }
//!
//!     fn roles(&self) -> Vec<String> {
//!         Vec::new()
//!     }
//! }
//!
//! #[derive(Deserialize)]
//! struct Credentials {
//!     name: String,
//!     password: String,
//! }
//!
//! #[route("/login", methods = [POST])]
//! async fn login(
//!     cx: Context,
//!     security: Security<Member>,
//!     JsonBody(sent): JsonBody<Credentials>,
//! ) -> Result<Reply> {
//!     let named = Member::query().filter(Member::NAME.eq(sent.name));
//!     let member = cx.store_unchecked().first(&named).await?;
//!     let member = verify_password(sent.password, member).await?;
//!     let login = security.begin_session(&cx, &member).await?;
//!     let reply = Reply::json(&json!({ "csrfToken": login.csrf_token }))?;
//!     Ok(reply.with_header(header::SET_COOKIE, login.cookie))
//! }
//!
//! #[route("/whoami", decorators = [auth_required()])]
//! async fn whoami(CurrentUser(member): CurrentUser<Member>) -> Result<Reply> {
//!     Reply::json(&member.map(|member| member.name))
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Store::open("sqlite::memory:").await?;
//! store.create_tables(&[Member::table()]).await?;
//! store.create_tables(&Security::<Member>::tables()).await?;
//! let mut ann = Draft::<Member>::new();
//! ann.set(Member::NAME, "ann".to_owned());
//! ann.set(Member::PASSWORD_HASH, run_cpu_bound(|| hash_password("correct horse".to_owned())).await?);
//! store.create(ann).await?;
//! let service = Api::new("club")
//!     .authenticator(Security::<Member>::new())
//!     .route(login)
//!     .route(whoami)
//!     .store(store)
//!     .into_service();
//!
//! let request = Request::post("/login")
//!     .header(header::HOST, "localhost")
//!     .header(header::CONTENT_TYPE, "application/json")
//!     .body(Body::from(r#"{"name": "ann", "password": "correct horse"}"#))?;
//! let response = service.clone().oneshot(request).await?;
//! assert_eq!(response.status(), StatusCode::OK);
//! let cookie = response.headers()[header::SET_COOKIE].to_str()?;
//! let session = cookie.split(';').next().unwrap_or_default().to_owned();
//!
//! let request = Request::get("/whoami")
//!     .header(header::HOST, "localhost")
//!     .header(header::COOKIE, session)
//!     .body(Body::empty())?;
//! let response = service.oneshot(request).await?;
//! assert_eq!(to_bytes(response.into_body(), 100).await?, r#""ann""#);
//! # Ok(())
//! # }
//! ```

mod account;
mod authenticate;
mod cookie;
mod credential;
mod credential_cache;
mod credential_store;
mod csrf;
mod current_user;
mod decorators;
mod login;
mod password;
mod scope;
mod secret;
mod security;
mod session;
mod token;

pub use account::Account;
pub use credential::Credential;
pub use current_user::CurrentUser;
pub use decorators::{
    AnonymousUserRequired, AuthRequired, AuthRequiredSameUser, anonymous_user_required, auth_required,
    auth_required_same_user, roles_accepted, roles_required,
};
pub use login::NewSession;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use password::hash_cheaply_in_this_process;
pub use password::{MAX_PASSWORD, hash_password, verify_password};
pub use security::Security;
pub use session::{AuthSession, MAX_SESSIONS, SessionPolicy, SessionSerializer};
pub use token::{AuthToken, MAX_TOKENS, TokenPolicy, TokenSerializer};
