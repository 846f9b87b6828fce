//! Body of a login, whose member with the name is that of the account's first login column.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::account::Account;

/// Body of a login: a login name, and the password.
pub(super) struct LoginBody<A> {
    pub(super) name: String,
    pub(super) password: String,
    pub(super) credential: CredentialWanted,
    account: PhantomData<fn() -> A>,
}

/// Credential that a login issues.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "openapi", derive(model_resource::schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", schemars(crate = "model_resource::schemars"))]
#[serde(rename_all = "lowercase")]
pub(super) enum CredentialWanted {
    /// A session and a bearer token.
    #[default]
    Both,
    /// A session cookie, for browsers.
    Session,
    /// A bearer token, for programs.
    Token,
}

/// Name of the member with the login name.
pub(super) fn name_member<A: Account>() -> String {
    let first = A::LOGIN_NAMES.first();
    first.map_or_else(|| "name".to_owned(), |column| column.column().wire_name())
}

impl<'de, A: Account> Deserialize<'de> for LoginBody<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LoginVisitor(PhantomData))
    }
}

struct LoginVisitor<A>(PhantomData<fn() -> A>);

impl<'de, A: Account> Visitor<'de> for LoginVisitor<A> {
    type Value = LoginBody<A>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a login")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<LoginBody<A>, M::Error> {
        let name_member = name_member::<A>();
        let (mut name, mut password, mut credential) = (None, None, None);
        while let Some(member) = members.next_key::<String>()? {
            let is_repeated = if member == name_member {
                name.replace(members.next_value::<String>()?).is_some()
            } else if member == "password" {
                password.replace(members.next_value::<String>()?).is_some()
            } else if member == "credential" {
                credential.replace(members.next_value()?).is_some()
            } else {
                return Err(Error::custom(format_args!(
                    "unknown field `{member}`, expected a login"
                )));
            };
            if is_repeated {
                return Err(Error::custom(format_args!("duplicate field `{member}`")));
            }
        }
        let missing = |member: &str| Error::custom(format_args!("missing field `{member}`"));
        Ok(LoginBody {
            name: name.ok_or_else(|| missing(&name_member))?,
            password: password.ok_or_else(|| missing("password"))?,
            credential: credential.unwrap_or_default(),
            account: PhantomData,
        })
    }
}
