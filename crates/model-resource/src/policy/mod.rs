//! Who may do what: rules for the rows and fields of a model, wherever they are met.

mod model_policy;
mod policies;

pub use model_policy::ModelPolicy;
pub(crate) use policies::{Policies, Policy, PolicyView};
