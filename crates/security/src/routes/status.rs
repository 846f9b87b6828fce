//! The caller's status.

use model_resource::{Context, Reply, Result, ViewSpec};
use serde_json::json;

use crate::account::Account;
use crate::credential::Credential;
use crate::routes::login::secret;
#[cfg(feature = "openapi")]
use crate::routes::schemas;

/// Returns the caller, and the CSRF token that a page needs for writes.
pub(super) fn status<A: Account>() -> ViewSpec {
    let view = ViewSpec::new("status", "/status", handle_status::<A>)
        .description("Returns the caller, and the CSRF token that a page needs for writes.");
    #[cfg(feature = "openapi")]
    let view = view.schemas(schemas::status::<A>);
    view
}

async fn handle_status<A: Account>(cx: Context) -> Result<Reply> {
    let account: Option<&A> = cx.caller().account();
    let user = match account {
        Some(account) => Some(cx.serializer::<A>()?.dump(account).await?),
        None => None,
    };
    let roles = cx.caller().roles();
    let mut answer = json!({ "authenticated": user.is_some(), "user": user, "roles": roles });
    let session =
        Credential::of(&cx).and_then(|credential| credential.session_id().zip(credential.csrf_token()));
    if let Some((id, token)) = session {
        answer["sessionId"] = id.into();
        answer["csrfToken"] = token.into();
    }
    Ok(secret(Reply::json(&answer)?))
}
