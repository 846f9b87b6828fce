//! Those who ask.

use crate::security::ROLES;

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Actor {
    /// An anonymous caller.
    Anonymous,
    /// Somebody who is known, and whose nothing is.
    User,
    /// The author of the articles, the user of the account, the holder of the credentials.
    Owner,
    /// Somebody with this role, whose nothing is.
    Role(&'static str),
    /// Somebody with every role who was shut out and still has a token, so that a check that is missing shows everywhere.
    Disabled,
}

impl Actor {
    /// Everyone, in the order of the matrix's columns.
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

    /// The names of the roles, with spaces between them.
    pub(super) fn roles(self) -> String {
        match self {
            Self::Anonymous | Self::User | Self::Owner => String::new(),
            Self::Role(role) => role.to_owned(),
            Self::Disabled => ROLES.join(" "),
        }
    }
}
