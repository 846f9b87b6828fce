//! Who asks, for apis of model-resource: sessions and bearer tokens, passwords, roles, and the decorators that demand them.
//!
//! An application brings a user model of its own ([`Account`]) and gives its api a [`Security`]. From then on every
//! request's `Context::caller` is known, writes of resources that nothing allows are refused, and views log in and out by it:
//!
//! ```
//! use model_resource::{header, Context, JsonBody, Model, Query, Reply, Result, route};
//! use model_resource_security::{Account, CurrentUser, Security, auth_required, verify_password};
//! use serde_json::json;
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
//! #[route("/login/<name>", methods = [POST])]
//! async fn login(cx: Context, security: Security<Member>, JsonBody(password): JsonBody<String>) -> Result<Reply> {
//!     let named = cx.params().get("name").unwrap_or_default().to_owned();
//!     let member = cx.store().first(&Query::<Member>::new().filter(Member::NAME, named)).await?;
//!     let member = verify_password(password, member).await?;
//!     let login = security.log_in(&cx, &member).await?;
//!     let reply = Reply::json(&json!({ "csrfToken": login.csrf_token }))?;
//!     Ok(reply.with_header(header::SET_COOKIE, login.cookie))
//! }
//!
//! #[route("/whoami", decorators = [auth_required])]
//! async fn whoami(CurrentUser(member): CurrentUser<Member>) -> Result<Reply> {
//!     Reply::json(&member.map(|member| member.name))
//! }
//! ```

mod account;
mod bearer;
mod cookie;
mod credential;
mod csrf;
mod current_user;
mod decorators;
mod hierarchy;
mod identify;
mod issued;
mod login;
mod password;
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
pub use login::Login;
pub use password::{MAX_PASSWORD, hash_password, verify_password};
pub use security::Security;
pub use session::{AuthSession, SessionPolicy, SessionSerializer};
pub use token::{AuthToken, TokenPolicy, TokenSerializer};
