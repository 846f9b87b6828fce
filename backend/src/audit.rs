//! The access audit: the callers, and the rows whose states matter for access.

use model_resource_audit::{Audit, AuditError, Fixture};
use serde_json::json;

use crate::api::Draft;
use crate::models::{Article, AuthSession, AuthToken, Comment, User};
use crate::security::{ROLES, UserSecurity, hash_password};

/// Password of every account.
const PASSWORD: &str = "correct horse";

const CALLERS: &str = "\
OWNER is the author of the articles, the user of the account and the holder of the token and the session. USER is another
authenticated user. DISABLED has every role and a token, and was disabled.";

/// Returns the declaration of the audit. Everything that is missing here is derived from the api.
pub fn audit() -> Audit {
    let new_password = json!({"password": PASSWORD, "newPassword": "battery staple"});
    Audit::new()
        .fixture(fixture)
        .body(
            "POST /auth/login",
            json!({"email": "owner", "password": PASSWORD}),
        )
        .body("POST /auth/password", new_password)
        .note(CALLERS)
}

async fn fixture(rows: Fixture) -> Result<(), AuditError> {
    let security = UserSecurity::new();
    let hash = hash_password(PASSWORD.to_owned());
    let account = |name: &str, roles: &str| {
        Draft::new()
            .with(User::USERNAME, name)
            .with(User::PASSWORD_HASH, hash.as_str())
            .with(User::ROLES, roles)
    };
    let user = rows.add_other(account("user", "")).await?;
    rows.log_in("user", &security, &user).await?;
    let owner = rows.add(account("owner", "")).await?;
    rows.log_in("owner", &security, &owner).await?;
    for role in ROLES {
        let user = rows.add_other(account(role, role)).await?;
        rows.log_in(role, &security, &user).await?;
    }
    // With every role and a token, so that a missing check shows at every URL.
    let disabled = account("disabled", &ROLES.join(" ")).with(User::IS_ACTIVE, false);
    let disabled = rows.add_other(disabled).await?;
    rows.log_in("disabled", &security, &disabled).await?;
    add_articles(&rows, &owner).await?;
    let key = owner.id.to_string();
    rows.add(Draft::new().with(AuthToken::USER_KEY, key.as_str()))
        .await?;
    rows.add(Draft::new().with(AuthSession::USER_KEY, key)).await?;
    Ok(())
}

async fn add_articles(rows: &Fixture, owner: &User) -> Result<(), AuditError> {
    for (state, is_published) in [("published", true), ("draft", false)] {
        let article = Draft::new()
            .with(Article::PUBLISHED, is_published)
            .with(Article::AUTHOR_ID, owner.id);
        let article = rows.add_as(state, article).await?;
        rows.add(Draft::new().with(Comment::ARTICLE_ID, article.id))
            .await?;
    }
    // Without an author. Anonymous callers have no account either, and must not match it.
    rows.add_other(Draft::<Article>::new()).await?;
    Ok(())
}
