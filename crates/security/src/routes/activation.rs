//! Disabling and enabling accounts.

use std::borrow::Cow;

use model_resource::{Context, DataType, Error, Reply, Result, ViewSpec};

use crate::account::{self, Account, key_text};
use crate::decorators::auth_required;
#[cfg(feature = "openapi")]
use crate::routes::schemas;
use crate::security::Security;

/// Disables a user, effective at the next request.
pub(super) fn disable<A: Account>(role: &str) -> ViewSpec {
    let view = ViewSpec::new("disable_user", url::<A>("disable"), handle_disable::<A>)
        .methods(&["POST"])
        .description("Disables a user, effective at the next request.")
        .decorator(auth_required().role(role));
    #[cfg(feature = "openapi")]
    let view = view.schemas(schemas::disable);
    view
}

async fn handle_disable<A: Account>(cx: Context) -> Result<Reply> {
    let account: A = requested(&cx).await?;
    if cx.caller().key_text() == Some(key_text(&account)) {
        return Err(Error::conflict("You cannot disable your own account."));
    }
    Security::disable(cx.store_unchecked(), &account).await?;
    Ok(Reply::no_content())
}

/// Enables a user, who then has to log in.
pub(super) fn enable<A: Account>(role: &str) -> ViewSpec {
    let view = ViewSpec::new("enable_user", url::<A>("enable"), handle_enable::<A>)
        .methods(&["POST"])
        .description("Enables a user, who then has to log in.")
        .decorator(auth_required().role(role));
    #[cfg(feature = "openapi")]
    let view = view.schemas(schemas::enable);
    view
}

async fn handle_enable<A: Account>(cx: Context) -> Result<Reply> {
    let account: A = requested(&cx).await?;
    Security::enable(cx.store_unchecked(), &account).await?;
    Ok(Reply::no_content())
}

/// URL of an action on an account, whose parameter has the type of the key.
fn url<A: Account>(action: &str) -> Cow<'static, str> {
    let converter = match A::table().key().data_type {
        DataType::I16 | DataType::I32 | DataType::I64 => "int:",
        DataType::Uuid => "uuid:",
        _ => "",
    };
    format!("/users/<{converter}id>/{action}").into()
}

/// Returns the account with the URL's key.
async fn requested<A: Account>(cx: &Context) -> Result<A> {
    let account = match cx.params().get("id") {
        Some(id) => account::find(cx.store_unchecked(), id).await?,
        None => None,
    };
    account.ok_or_else(Error::not_found)
}
