//! Mistakes in the declaration of an account, found at startup.

use std::panic::{AssertUnwindSafe, catch_unwind};

use model_resource::{Api, Blueprint, Caller, Columns, Field, Model, ModelPolicy, Where};
use model_resource_security::{Account, AccountRoute, Roles, Security};
use test_support::startup_errors;

use crate::readers::ReaderSecurity;

/// Defines an account with these attributes of its columns.
macro_rules! account {
    ($model:ident, [$($name:tt)*], [$($hash:tt)*], [$($roles:tt)*], $names:expr) => {
        #[derive(Debug, Clone, Model)]
        struct $model {
            #[column(primary_key)]
            id: i64,
            $($name)*
            name: String,
            $($hash)*
            hash: String,
            $($roles)*
            roles: String,
        }

        impl Account for $model {
            const LOGIN_NAMES: &'static [Field<Self, String>] = $names;
            const PASSWORD_HASH: Field<Self, String> = Self::HASH;
            const ROLES: Roles<Self> = Roles::words(Self::ROLES);
        }
    };
}

account!(Nameless, [#[column(unique)]], [#[column(hidden)]], [#[column(hidden)]], &[]);
account!(Twice, [], [#[column(hidden)]], [#[column(hidden)]], &[Twice::NAME]);
account!(Open, [#[column(unique)]], [], [#[column(hidden)]], &[Open::NAME]);
account!(Chosen, [#[column(unique)]], [#[column(hidden)]], [], &[Chosen::NAME]);

/// Returns the message with which the routes are rejected.
fn message<A: Account>() -> String {
    let register = || Api::new("api").register(Security::<A>::routes());
    let panic = catch_unwind(AssertUnwindSafe(register)).err();
    panic.map_or_else(String::new, |panic| *panic.downcast::<String>().unwrap())
}

/// SEC-57: columns that cannot serve their purpose are rejected, with the remedy.
#[test]
fn columns_that_cannot_serve_their_purpose_are_rejected() {
    assert_eq!(
        message::<Nameless>(),
        "nobody could log in: name the columns of Nameless in `LOGIN_NAMES`"
    );
    assert_eq!(
        message::<Twice>(),
        "two accounts could have one login name: mark `name` of Twice with #[column(unique)]"
    );
    assert_eq!(
        message::<Open>(),
        "clients could read and set it: mark `hash` of Open with #[column(hidden)]"
    );
    assert_eq!(
        message::<Chosen>(),
        "anyone could choose it when they register: mark `roles` of Chosen with #[column(hidden)]"
    );
    let _ = Api::new("api").register(Security::<Chosen>::routes().without(AccountRoute::Register));
}

/// SEC-57: the routes need the authenticator of their accounts.
#[tokio::test]
async fn routes_without_their_authenticator_are_rejected() {
    let api = Api::new("library").register(ReaderSecurity::routes());
    let remedy = "the routes of the accounts need their authenticator: add `.authenticator(Security::<Reader>::new())`";
    assert_eq!(startup_errors(api).await, [remedy]);
    let other = Api::new("library")
        .register(ReaderSecurity::routes())
        .authenticator(Security::<Chosen>::new());
    assert_eq!(startup_errors(other).await, [remedy]);
}

account!(Shown, [#[column(unique)]], [#[column(hidden)]], [#[column(hidden)]], &[Shown::NAME]);

/// Names are private, and nothing is said about new accounts.
struct ShownPolicy;

impl ModelPolicy for ShownPolicy {
    type Model = Shown;

    fn private() -> Columns<Shown> {
        Columns::of(Shown::NAME)
    }

    fn shows_private(caller: &Caller) -> Where<Shown> {
        caller.owned_by(Shown::ID)
    }
}

/// SEC-57: a policy that lets no anonymous caller create an account closes the registration, which is rejected.
#[tokio::test]
async fn a_policy_that_closes_the_registration_is_rejected() {
    type ShownSecurity = Security<Shown>;
    let api = || {
        Api::new("library")
            .authenticator(ShownSecurity::new())
            .policy::<ShownPolicy>()
    };
    let remedy = "the policy of Shown lets no anonymous caller register: add `may_create` to it, or leave the route out \
                  by `.without(AccountRoute::Register)`";
    assert_eq!(
        startup_errors(api().register(ShownSecurity::routes())).await,
        [remedy]
    );
    let closed = ShownSecurity::routes().without(AccountRoute::Register);
    assert!(api().register(closed).try_compile().is_ok());
    let below = Blueprint::new("accounts", "/<tenant>/auth").unscoped(&["tenant"]);
    let tenants = ShownSecurity::routes().blueprint(below);
    assert!(api().register(tenants).try_compile().is_ok());
}
