//! Callers of the audit.

use crate::security::ROLES;

/// A caller of the audit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Actor {
    /// An anonymous caller.
    Anonymous,
    /// An authenticated user who owns no row.
    User,
    /// The author of the articles, the user of the account, the holder of the credentials.
    Owner,
    /// An authenticated user with this role, who owns no row.
    Role(&'static str),
    /// A disabled user with every role and a token, so that a missing check shows at every URL.
    Disabled,
}

impl Actor {
    /// Returns all callers in the order of the matrix's columns.
    pub(super) fn all() -> Vec<Self> {
        let roles = ROLES.map(Self::Role);
        let mut all = vec![Self::Anonymous, Self::User, Self::Owner];
        all.extend(roles);
        all.push(Self::Disabled);
        all
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::User => "user",
            Self::Owner => "owner",
            Self::Role(role) => role,
            Self::Disabled => "disabled",
        }
    }

    /// Returns the names of the roles, separated by spaces.
    pub(super) fn roles(self) -> String {
        match self {
            Self::Anonymous | Self::User | Self::Owner => String::new(),
            Self::Role(role) => role.to_owned(),
            Self::Disabled => ROLES.join(" "),
        }
    }
}
