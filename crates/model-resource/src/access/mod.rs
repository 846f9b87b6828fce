//! Authorization: callers, row-level policies, and the rows and columns that a request may reach.

mod action_access;
mod authenticate;
mod caller;
mod caller_policies;
mod credential_scheme;
mod deleted_rows;
mod frozen_columns;
mod guard;
mod known_callers;
mod model_policy;
mod policies;
mod soft_delete;
mod table_access;
mod url_scope;

pub use action_access::ActionAccess;
pub use authenticate::{Authenticate, CsrfToken};
pub use caller::Caller;
pub use credential_scheme::CredentialScheme;
pub use guard::guard;
#[doc(hidden)]
pub use known_callers::KnownCallers;
pub use model_policy::ModelPolicy;

pub(crate) use authenticate::AnyAuthenticate;
pub(crate) use caller_policies::CallerPolicies;
pub(crate) use deleted_rows::DeletedRows;
pub(crate) use frozen_columns::FrozenColumns;
pub(crate) use guard::{DefaultAccess, Deny, RequireCreate, RequireDelete, is_guarded};
pub(crate) use known_callers::CallersFirst;
pub(crate) use policies::{Policies, Policy};
pub(crate) use table_access::TableAccess;
