//! Guards that require an authenticated or an anonymous caller: in `method_decorators`, around all
//! resources of an api, or on a view.

use std::future::ready;

use futures_util::future::BoxFuture;
use model_resource::{Caller, Context, Decorator, Error, Next, Reply, Result, UrlParameter, Uuid};

/// Requires an authenticated caller; [`AuthRequired::role`], `roles` and `one_of` also require roles.
///
/// ```
/// use model_resource::{MethodDecorators, CREATE, DELETE};
/// use model_resource_security::auth_required;
///
/// let decorators = MethodDecorators::none()
///     .on(CREATE, auth_required())
///     .on(DELETE, auth_required().role("admin"));
/// ```
pub const fn auth_required() -> AuthRequired {
    AuthRequired::named("auth_required")
}

/// Requires an authenticated caller with all of these roles.
pub fn roles_required(roles: impl IntoIterator<Item = impl Into<String>>) -> AuthRequired {
    AuthRequired::named("roles_required").roles(roles)
}

/// Requires an authenticated caller with at least one of these roles.
pub fn roles_accepted(roles: impl IntoIterator<Item = impl Into<String>>) -> AuthRequired {
    AuthRequired::named("roles_accepted").one_of(roles)
}

/// Guard that requires an authenticated caller with certain roles; see [`auth_required`].
#[derive(Debug, Clone)]
pub struct AuthRequired {
    name: &'static str,
    /// Alternatives; the caller needs one role of each.
    demands: Vec<Vec<String>>,
}

impl AuthRequired {
    const fn named(name: &'static str) -> Self {
        Self {
            name,
            demands: Vec::new(),
        }
    }

    /// Requires a role.
    pub fn role(self, role: impl Into<String>) -> Self {
        self.one_of([role])
    }

    /// Requires each of these roles.
    pub fn roles(self, roles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        roles.into_iter().fold(self, Self::role)
    }

    /// Requires one of these roles.
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
        if self.admits(cx.caller()) {
            next.run(cx)
        } else {
            Box::pin(ready(Err(cx.denied())))
        }
    }

    fn authorizes(&self) -> bool {
        true
    }

    fn allows(&self, caller: &Caller) -> bool {
        self.admits(caller)
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        self.name
    }
}

/// Requires the caller whom the last URL parameter identifies; [`AuthRequiredSameUser::by`] names another parameter.
///
/// The parameter may be the key of an account, a foreign key to one, or another unique column of the account, such as
/// its user name. Other callers are answered with 403, whether the account exists or not. A parameter that identifies a
/// row of another model is rejected at startup.
pub const fn auth_required_same_user() -> AuthRequiredSameUser {
    AuthRequiredSameUser(None)
}

/// Guard that requires the caller whom a URL parameter identifies; see [`auth_required_same_user`].
#[derive(Debug, Clone)]
pub struct AuthRequiredSameUser(Option<&'static str>);

impl AuthRequiredSameUser {
    /// Compares the caller with this parameter.
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
            if identifies_caller(&cx, parameter).await? {
                next.run(cx).await
            } else {
                Err(cx.denied())
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

    fn allows(&self, caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "auth_required_same_user"
    }
}

/// Requires an anonymous caller.
pub const fn anonymous_user_required() -> AnonymousUserRequired {
    AnonymousUserRequired(())
}

/// Guard that requires an anonymous caller; see [`anonymous_user_required`].
#[derive(Debug, Clone)]
pub struct AnonymousUserRequired(());

impl Decorator for AnonymousUserRequired {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        if cx.caller().is_authenticated() {
            let error = Error::forbidden("You are logged in; log out first.");
            Box::pin(ready(Err(error)))
        } else {
            next.run(cx)
        }
    }

    fn authorizes(&self) -> bool {
        true
    }

    fn allows(&self, caller: &Caller) -> bool {
        !caller.is_authenticated()
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "anonymous_user_required"
    }
}
