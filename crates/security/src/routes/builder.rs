//! `AccountRoutes`: the routes of accounts, as an application registers them.

use std::marker::PhantomData;

#[cfg(feature = "pages")]
use model_resource::Pages;
use model_resource::expand::View;
use model_resource::{Api, ApiPart, Blueprint, MethodDecorators, Model};

use crate::account::Account;
use crate::limits::AccountLimits;
use crate::routes::registration::RegistrationResource;
use crate::routes::sessions::SessionResource;
use crate::routes::tokens::TokenResource;
use crate::routes::{activation, login, password, status};
use crate::security::Security;

/// Route of accounts, which can be left out or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountRoute {
    /// `POST /register`: anonymous callers create an account. Leave it out if a resource of accounts has a `create` of its
    /// own.
    Register,
    /// `POST /users/<id>/disable`: administrators disable an account.
    Disable,
    /// `POST /users/<id>/enable`: administrators enable an account.
    Enable,
    /// `POST /login`: issues a session, a bearer token or both for a password.
    Login,
    /// `POST /logout`: revokes the session and the token of the request.
    Logout,
    /// `GET /status`: the caller.
    Status,
    /// `POST /password`: changes the caller's password.
    Password,
    /// `GET` and `POST /tokens`, `DELETE /tokens/<id>`: the caller's tokens.
    Tokens,
    /// `GET /sessions`, `DELETE /sessions/<id>`: the caller's sessions.
    Sessions,
}

impl AccountRoute {
    const ALL: [Self; 9] = [
        Self::Register,
        Self::Disable,
        Self::Enable,
        Self::Login,
        Self::Logout,
        Self::Status,
        Self::Password,
        Self::Tokens,
        Self::Sessions,
    ];
}

/// Routes of accounts, below a prefix; see [`Security::routes`].
///
/// ```
/// use model_resource::{Api, Context, Field, Model, Rate, Reply, Result, route};
/// use model_resource_security::{Account, AccountLimits, AccountRoute, Security};
///
/// #[derive(Debug, Clone, Model)]
/// struct Member {
///     #[column(primary_key)]
///     id: i64,
///     #[column(unique)]
///     name: String,
///     #[column(hidden)]
///     password_hash: String,
/// }
///
/// impl Account for Member {
///     const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
///     const PASSWORD_HASH: Field<Self, String> = Member::PASSWORD_HASH;
/// }
///
/// /// The caller's name alone.
/// #[route("/status")]
/// async fn status(cx: Context) -> Result<Reply> {
///     Reply::json(&cx.caller().name())
/// }
///
/// let routes = Security::<Member>::routes()
///     .prefix("/account")
///     .without(AccountRoute::Tokens)
///     .replace(AccountRoute::Status, status)
///     .limits(AccountLimits::new().registrations_per_address(Rate::per_hour(5)));
/// let api = Api::new("club").authenticator(Security::<Member>::new()).register(routes);
/// ```
#[must_use]
pub struct AccountRoutes<A> {
    blueprint: Blueprint,
    limits: AccountLimits,
    admin_role: String,
    left_out: Vec<AccountRoute>,
    replacements: Vec<(AccountRoute, AddRoute)>,
    account: PhantomData<fn() -> A>,
}

/// Function that registers a view of the application.
type AddRoute = Box<dyn FnOnce(Api, Blueprint) -> Api>;

impl<A: Account> Security<A> {
    /// Returns the routes of accounts, below `/auth`, for [`Api::register`]: registration, login, logout, status, password,
    /// tokens and sessions, and disabling and enabling if accounts have the column [`Account::ACTIVE`].
    pub fn routes() -> AccountRoutes<A> {
        AccountRoutes {
            blueprint: Blueprint::new("security", "/auth"),
            limits: AccountLimits::new(),
            admin_role: "admin".to_owned(),
            left_out: Vec::new(),
            replacements: Vec::new(),
            account: PhantomData,
        }
    }
}

impl<A: Account> AccountRoutes<A> {
    /// Sets the prefix of the URLs; `/auth` by default.
    pub fn prefix(self, prefix: &'static str) -> Self {
        self.blueprint(Blueprint::new("security", prefix))
    }

    /// Puts the URLs below a blueprint, whose prefix may have parameters.
    pub fn blueprint(mut self, blueprint: Blueprint) -> Self {
        self.blueprint = blueprint;
        self
    }

    /// Leaves out a route.
    pub fn without(mut self, route: AccountRoute) -> Self {
        self.left_out.push(route);
        self
    }

    /// Registers a view of the application instead of a route, below the same prefix. To replace a route by a resource,
    /// leave it out and register the resource.
    pub fn replace<V: View>(mut self, route: AccountRoute, view: fn() -> V) -> Self {
        let add: AddRoute = Box::new(move |api, blueprint| api.route_below(view, blueprint));
        self.replacements.push((route, add));
        self
    }

    /// Sets the rate limits.
    pub fn limits(mut self, limits: AccountLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the role that may disable and enable accounts; `admin` by default.
    pub fn admin_role(mut self, role: impl Into<String>) -> Self {
        self.admin_role = role.into();
        self
    }

    /// Routes that the pages for browsers use. A blueprint with parameters has no URL for all callers.
    #[cfg(feature = "pages")]
    fn page_views(&self) -> Pages {
        let prefix = self.blueprint.url_prefix();
        let is_present = |route: AccountRoute| {
            let is_replaced = self.replacements.iter().any(|(known, _)| *known == route);
            !(prefix.contains('<') || is_replaced || self.left_out.contains(&route))
        };
        let mut pages = Pages::new();
        if is_present(AccountRoute::Login) {
            pages = pages.login(format!("{prefix}/login"));
        }
        if is_present(AccountRoute::Logout) {
            pages = pages.logout(format!("{prefix}/logout"));
        }
        if is_present(AccountRoute::Password) {
            pages = pages.password(format!("{prefix}/password"));
        }
        pages
    }

    fn add(&self, route: AccountRoute, api: Api) -> Api {
        let (blueprint, limits) = (self.blueprint, &self.limits);
        let can_disable = A::ACTIVE.is_some();
        match route {
            AccountRoute::Register => {
                check_hidden::<A>();
                // A policy may read the parameters of the prefix.
                let api = if blueprint.url_prefix().contains('<') {
                    api
                } else {
                    api.require_anonymous_create::<A>(format!(
                        "the policy of {} lets no anonymous caller register: add `may_create` to it, or leave the route out \
                         by `.without(AccountRoute::Register)`",
                        A::table().model
                    ))
                };
                api.model_resource_below::<RegistrationResource<A>>(blueprint, limits.on_registration())
            }
            AccountRoute::Disable | AccountRoute::Enable if !can_disable => api,
            AccountRoute::Disable => {
                api.view(activation::disable::<A>(&self.admin_role).blueprint(blueprint))
            }
            AccountRoute::Enable => api.view(activation::enable::<A>(&self.admin_role).blueprint(blueprint)),
            AccountRoute::Login => api.view(login::login::<A>(limits).blueprint(blueprint)),
            AccountRoute::Logout => api.view(login::logout::<A>().blueprint(blueprint)),
            AccountRoute::Status => api.view(status::status::<A>().blueprint(blueprint)),
            AccountRoute::Password => api.view(password::password::<A>(limits).blueprint(blueprint)),
            AccountRoute::Tokens => {
                api.model_resource_below::<TokenResource<A>>(blueprint, MethodDecorators::none())
            }
            AccountRoute::Sessions => {
                api.model_resource_below::<SessionResource>(blueprint, MethodDecorators::none())
            }
        }
    }
}

impl<A: Account> ApiPart for AccountRoutes<A> {
    /// # Panics
    /// If the columns of the account cannot serve their purpose; the message has the remedy.
    fn register(mut self, api: Api) -> Api {
        check_columns::<A>();
        let model = A::table().model;
        let mut api = api.require_authenticator::<Security<A>>(format!(
            "the routes of the accounts need their authenticator: add `.authenticator(Security::<{model}>::new())`"
        ));
        #[cfg(feature = "pages")]
        {
            api = api.account_views(self.page_views());
        }
        for route in AccountRoute::ALL {
            if self.left_out.contains(&route) {
                continue;
            }
            let replaced = self.replacements.iter().position(|(known, _)| *known == route);
            api = match replaced {
                Some(position) => (self.replacements.remove(position).1)(api, self.blueprint),
                None => self.add(route, api),
            };
        }
        api
    }
}

/// Rejects an account that nobody could log in to, or whose password hash clients could read.
fn check_columns<A: Account>() {
    let (model, names) = (A::table().model, A::LOGIN_NAMES);
    assert!(
        !names.is_empty(),
        "nobody could log in: name the columns of {model} in `LOGIN_NAMES`"
    );
    for column in names.iter().map(|name| name.column()) {
        assert!(
            column.unique,
            "two accounts could have one login name: mark `{}` of {model} with #[column(unique)]",
            column.name
        );
    }
    check_column_hidden::<A>(A::PASSWORD_HASH.position(), "clients could read and set it");
}

/// Rejects an account whose columns a registration could set.
fn check_hidden<A: Account>() {
    let why = "anyone could choose it when they register";
    let active = A::ACTIVE.map(|column| column.position());
    for column in active.into_iter().chain(A::ROLES.column()) {
        check_column_hidden::<A>(column, why);
    }
}

fn check_column_hidden<A: Model>(column: usize, why: &str) {
    let column = &A::table().columns[column];
    assert!(
        column.hidden,
        "{why}: mark `{}` of {} with #[column(hidden)]",
        column.name,
        A::table().model
    );
}
