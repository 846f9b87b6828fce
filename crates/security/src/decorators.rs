//! The decorators that demand a known caller or refuse one: in `method_decorators`, around a whole api, or on a view.

use std::future::ready;

use futures_util::future::BoxFuture;
use model_resource::{Caller, Context, Decorator, Error, Next, Reply, Result, UrlParameter, Uuid};

/// Lets only known callers pass; [`AuthRequired::role`] and its like demand more.
///
/// ```
/// use model_resource::{MethodDecorators, CREATE, DELETE};
/// use model_resource_security::auth_required;
///
/// let decorators = MethodDecorators::none()
///     .on(CREATE, auth_required)
///     .on(DELETE, auth_required.role("admin"));
/// ```
#[expect(
    non_upper_case_globals,
    reason = "it is used like the decorators that are functions"
)]
pub const auth_required: AuthRequired = AuthRequired::named("auth_required");

/// Lets only known callers pass who have each of these roles.
pub fn roles_required(roles: impl IntoIterator<Item = impl Into<String>>) -> AuthRequired {
    AuthRequired::named("roles_required").roles(roles)
}

/// Lets only known callers pass who have one of these roles at least.
pub fn roles_accepted(roles: impl IntoIterator<Item = impl Into<String>>) -> AuthRequired {
    AuthRequired::named("roles_accepted").one_of(roles)
}

/// Lets only known callers pass who have certain roles; see [`auth_required`].
#[derive(Debug, Clone)]
pub struct AuthRequired {
    name: &'static str,
    /// Of each of these, one role.
    demands: Vec<Vec<String>>,
}

impl AuthRequired {
    const fn named(name: &'static str) -> Self {
        Self {
            name,
            demands: Vec::new(),
        }
    }

    /// Demands a role.
    pub fn role(self, role: impl Into<String>) -> Self {
        self.one_of([role])
    }

    /// Demands each of these roles.
    pub fn roles(self, roles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        roles.into_iter().fold(self, Self::role)
    }

    /// Demands one of these roles.
    pub fn one_of(mut self, roles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.demands.push(roles.into_iter().map(Into::into).collect());
        self
    }

    fn admits(&self, caller: &Caller) -> bool {
        let meets = |roles: &Vec<String>| roles.iter().any(|role| caller.has_role(role));
        caller.is_authenticated() && self.demands.iter().all(meets)
    }
}

impl Decorator for AuthRequired {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        match self.admits(cx.caller()) {
            true => next.run(cx),
            false => Box::pin(ready(Err(cx.denied()))),
        }
    }

    fn authorizes(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        self.name
    }
}

/// Lets only the caller pass whom the URL's last parameter identifies; [`AuthRequiredSameUser::by`] says which other one does.
///
/// The parameter may be the key of an account, a foreign key to one, or another unique column of the account, such as
/// its user name. Anyone else gets a 403, whether there is such an account or not. A parameter that identifies a row of another
/// model is refused at start.
#[expect(
    non_upper_case_globals,
    reason = "it is used like the decorators that are functions"
)]
pub const auth_required_same_user: AuthRequiredSameUser = AuthRequiredSameUser(None);

/// Lets only the known caller pass whom a parameter of the URL names; see [`auth_required_same_user`].
#[derive(Debug, Clone)]
pub struct AuthRequiredSameUser(Option<&'static str>);

impl AuthRequiredSameUser {
    /// Compares with this parameter.
    pub const fn by(self, parameter: &'static str) -> Self {
        Self(Some(parameter))
    }

    const fn parameter(&self) -> UrlParameter {
        match self.0 {
            Some(parameter) => UrlParameter::Named(parameter),
            None => UrlParameter::Last,
        }
    }
}

/// Whether the parameter identifies the caller.
async fn identifies_caller(cx: &Context, parameter: UrlParameter) -> Result<bool> {
    let name = match parameter {
        UrlParameter::Named(name) => Some(name),
        UrlParameter::Last => cx.params().iter().last().map(|(name, _)| name),
    };
    let (Some(name), Some(own)) = (name, cx.caller().key_text()) else {
        return Ok(false);
    };
    let Some(key) = cx.param_key(name).await? else {
        return Ok(false);
    };
    let id = cx.caller().key::<Uuid>();
    let is_id = id.is_some_and(|id| Uuid::try_parse(&key) == Ok(id));
    Ok(is_id || key == own)
}

impl Decorator for AuthRequiredSameUser {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let parameter = self.parameter();
        Box::pin(async move {
            match identifies_caller(&cx, parameter).await? {
                true => next.run(cx).await,
                false => Err(cx.denied()),
            }
        })
    }

    fn parameters(&self) -> Vec<&'static str> {
        self.0.into_iter().collect()
    }

    fn caller_parameter(&self) -> Option<UrlParameter> {
        Some(self.parameter())
    }

    fn authorizes(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "auth_required_same_user"
    }
}

/// Lets only anonymous callers pass.
#[expect(
    non_upper_case_globals,
    reason = "it is used like the decorators that are functions"
)]
pub const anonymous_user_required: AnonymousUserRequired = AnonymousUserRequired(());

/// Lets only anonymous callers pass; see [`anonymous_user_required`].
#[derive(Debug, Clone)]
pub struct AnonymousUserRequired(());

impl Decorator for AnonymousUserRequired {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        match cx.caller().is_authenticated() {
            false => next.run(cx),
            true => {
                let told = Error::forbidden("You are logged in; log out first.");
                Box::pin(ready(Err(told)))
            }
        }
    }

    fn authorizes(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "anonymous_user_required"
    }
}
