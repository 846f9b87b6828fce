//! JSON Schemas of bodies and replies, for the OpenAPI document.

use model_resource::schemars::{self, JsonSchema};
use model_resource::{HandlerSchemas, Model, ObjectOf, ReplySchema};
use serde_json::Value;

use crate::account::Account;
use crate::routes::login_body::{CredentialWanted, name_member};
use crate::routes::password_body::Passwords;

/// Member of [`DocumentedLogin`] that is renamed to that of the account.
const NAME: &str = "name";

/// Body of a login: an e-mail address or a user name, and the password.
#[derive(JsonSchema)]
#[schemars(rename = "LoginBody", deny_unknown_fields)]
#[expect(dead_code, reason = "the type documents a body that is read member by member")]
struct DocumentedLogin {
    name: String,
    password: String,
    /// Credential to issue.
    #[schemars(default)]
    credential: CredentialWanted,
}

/// Reply to a login, as it is documented.
#[derive(JsonSchema)]
#[schemars(rename = "LoginReply", rename_all = "camelCase", bound = "A: Model")]
#[expect(dead_code, reason = "the reply is made member by member")]
struct LoginReply<A> {
    user: ObjectOf<A>,
    /// Bearer token, if one was issued; shown once.
    #[schemars(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// Token that writes with the session need in the header `X-CSRFToken`, if a session was issued.
    #[schemars(skip_serializing_if = "Option::is_none")]
    csrf_token: Option<String>,
}

/// The caller, as it is documented.
#[derive(JsonSchema)]
#[schemars(rename = "StatusReply", rename_all = "camelCase", bound = "A: Model")]
#[expect(dead_code, reason = "the reply is made member by member")]
struct StatusReply<A> {
    authenticated: bool,
    user: Option<ObjectOf<A>>,
    roles: Vec<String>,
    /// Session of the request, if one authenticates it.
    #[schemars(skip_serializing_if = "Option::is_none")]
    session_id: Option<i64>,
    /// Token that writes with the session need in the header `X-CSRFToken`.
    #[schemars(skip_serializing_if = "Option::is_none")]
    csrf_token: Option<String>,
}

/// Member of a created token that is never shown again.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the reply is made member by member")]
struct ShownToken {
    /// Bearer token.
    token: String,
}

/// Describes a login.
pub(super) fn login<A: Account>(schemas: &mut HandlerSchemas) {
    schemas.set_body::<DocumentedLogin>();
    if let Some(body) = &mut schemas.body {
        rename_member(body, &name_member::<A>(), &names_in_words::<A>());
    }
    schemas.set_reply::<LoginReply<A>>();
}

/// Renames the member with the login name, and documents it.
fn rename_member(body: &mut Value, name: &str, description: &str) {
    if let Some(members) = body["properties"].as_object_mut() {
        // Inserted again, because the members keep their order.
        for (key, mut member) in std::mem::take(members) {
            if key == NAME {
                member["description"] = description.into();
                members.insert(name.to_owned(), member);
            } else {
                members.insert(key, member);
            }
        }
    }
    for required in body["required"].as_array_mut().into_iter().flatten() {
        if required == NAME {
            *required = name.into();
        }
    }
}

/// Login names of an account in words, such as `E-mail address or user name.`
fn names_in_words<A: Account>() -> String {
    let words = A::LOGIN_NAMES.iter().map(|name| match name.column() {
        column if column.email => "e-mail address".to_owned(),
        column if column.name == "username" => "user name".to_owned(),
        column => column.label().to_lowercase(),
    });
    let words = words.collect::<Vec<_>>().join(" or ");
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// Describes a status.
pub(super) fn status<A: Account>(schemas: &mut HandlerSchemas) {
    schemas.set_reply::<StatusReply<A>>();
}

/// Describes a change of the password.
pub(super) fn password<A: Account>(schemas: &mut HandlerSchemas) {
    schemas.set_body::<Passwords>();
    if let Some(body) = &mut schemas.body {
        body["properties"]["newPassword"]["minLength"] = A::MIN_PASSWORD.into();
    }
    nothing(schemas);
}

/// Describes a response without content.
pub(super) fn nothing(schemas: &mut HandlerSchemas) {
    schemas.reply = Some(ReplySchema::Empty);
}

/// Describes the disabling of an account.
pub(super) fn disable(schemas: &mut HandlerSchemas) {
    enable(schemas);
    schemas.add_response(409, "It is the account of the caller.");
}

/// Describes the enabling of an account.
pub(super) fn enable(schemas: &mut HandlerSchemas) {
    nothing(schemas);
    schemas.add_response(404, "The user does not exist.");
}

/// Describes a new token.
pub(super) fn new_token(schemas: &mut HandlerSchemas) {
    schemas.set_added_members::<ShownToken>();
}
