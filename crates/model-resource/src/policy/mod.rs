//! Policies: row-level and column-level access to a model, enforced wherever its rows are used.

mod model_policy;
mod policies;

pub use model_policy::ModelPolicy;
pub(crate) use policies::{Policies, Policy, PolicyView};
