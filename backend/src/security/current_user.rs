//! The user who sent a request.

use model_resource::FromContext;

use crate::api::{Context, Error, Result};
use crate::models::User;
use crate::security::token::find_user;

/// The user who sent the request, if any; a handler or view takes it as an argument.
#[derive(Debug, Clone)]
pub struct CurrentUser(pub Option<User>);

impl FromContext for CurrentUser {
    async fn from_context(cx: &mut Context) -> Result<Self> {
        if let Some(known) = cx.value::<Self>() {
            return Ok(known.clone());
        }
        let user = match bearer_token(cx)? {
            Some(token) => Some(
                find_user(cx.store(), &token)
                    .await?
                    .ok_or_else(Error::unauthorized)?,
            ),
            None => None,
        };
        cx.insert(Self(user.clone()));
        Ok(Self(user))
    }
}

/// The token of `Authorization: Bearer` or `Authentication-Token`. More than one credential is none that can be trusted.
fn bearer_token(cx: &Context) -> Result<Option<String>> {
    let authorization = cx.headers().get_all("authorization").iter();
    let alias = cx.headers().get_all("authentication-token").iter();
    let mut tokens = Vec::new();
    for value in authorization {
        let text = value.to_str().map_err(|_| Error::unauthorized())?;
        let (scheme, token) = text.split_once(' ').ok_or_else(Error::unauthorized)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Error::unauthorized());
        }
        tokens.push(token.trim().to_owned());
    }
    for value in alias {
        tokens.push(value.to_str().map_err(|_| Error::unauthorized())?.to_owned());
    }
    match tokens.len() {
        0 | 1 => Ok(tokens.pop()),
        _ => Err(Error::unauthorized()),
    }
}
