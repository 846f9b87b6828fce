//! Access rule of an action.

/// Access rule of an operation or view, apart from what its handler decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionAccess {
    /// Open to everyone: a read without a policy or guard, or any request to an api without an authenticator and policy.
    Open,
    /// Decided by the policy of the model.
    Policy,
    /// Decided by a guard and, if there is one, by the policy of the model.
    Guard,
    /// A write that is open to everyone although the api has an authenticator.
    PublicWrite,
    /// Denied to everyone: a write without a guard or policy.
    Denied,
}
