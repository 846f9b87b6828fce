//! The decorators that demand or refuse a user.

use model_resource::{Decorator, FromContext};

use crate::api::{Context, Error, Next, Reply, Result};
use crate::security::current_user::CurrentUser;

/// Lets only visitors pass who are not logged in.
pub async fn anonymous_user_required(mut cx: Context, next: Next) -> Result<Reply> {
    match CurrentUser::from_context(&mut cx).await? {
        CurrentUser(None) => next.run(cx).await,
        CurrentUser(Some(_)) => Err(Error::forbidden("You are logged in; log out first.")),
    }
}

/// Lets only the user pass whom the URL's last parameter names.
pub async fn auth_required_same_user(mut cx: Context, next: Next) -> Result<Reply> {
    let named = cx.params().last().map(str::to_owned);
    require_user(&mut cx, named).await?;
    next.run(cx).await
}

/// Lets only the user pass whom this URL parameter names.
pub fn auth_required_same_user_as(parameter: &'static str) -> impl Decorator {
    move |mut cx: Context, next: Next| async move {
        let named = cx.params().get(parameter).map(str::to_owned);
        require_user(&mut cx, named).await?;
        next.run(cx).await
    }
}

async fn require_user(cx: &mut Context, named: Option<String>) -> Result<()> {
    let CurrentUser(user) = CurrentUser::from_context(cx).await?;
    let user = user.ok_or_else(Error::unauthorized)?;
    if named.is_some_and(|id| id == user.id.to_string()) {
        Ok(())
    } else {
        Err(Error::forbidden("You may change only your own account."))
    }
}
