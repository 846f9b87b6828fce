//! The access audit: the callers, and the rows whose states matter for access.

use model_resource_audit::{Audit, AuditError, Fixture};

use crate::api::Draft;
use crate::models::{Article, Comment, User};
use crate::security::UserSecurity;

/// Returns the declaration of the audit. Everything that is missing here is derived from the api.
pub fn audit() -> Audit {
    Audit::new()
        .accounts(UserSecurity::new)
        .fixture(fixture)
        .note("OWNER is the author of the articles.")
}

async fn fixture(rows: Fixture) -> Result<(), AuditError> {
    let owner: User = rows.account("owner")?;
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
