//! Callers, and the policies: who sees and writes which rows.

use std::marker::PhantomData;

use model_resource::{Authenticate, Caller, Context, Draft, Model, ModelPolicy, Result, Where};

use crate::models::{Article, ArticleTag, User};

/// Identifies users by the header `User: 1`.
///
/// The number of a user is not a secret. A real blog asks for a password: see the guide to authentication.
pub(crate) struct UserHeader;

impl Authenticate for UserHeader {
    async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
        let user = cx.headers().get("user");
        let user = user.and_then(|user| user.to_str().ok()?.parse::<i64>().ok());
        Ok(user.map_or_else(Caller::anonymous, Caller::of))
    }
}

/// Users write what everyone sees.
pub(crate) struct SharedPolicy<M>(PhantomData<fn() -> M>);

impl<M: Model> ModelPolicy for SharedPolicy<M> {
    type Model = M;

    fn updatable(caller: &Caller) -> Where<M> {
        Where::all_if(caller.is_authenticated())
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

/// Anyone registers, and users change themselves.
pub(crate) struct UserPolicy;

impl ModelPolicy for UserPolicy {
    type Model = User;

    fn updatable(caller: &Caller) -> Where<User> {
        caller.owned_by(User::ID)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

/// Drafts exist for their author only, who alone changes an article.
pub(crate) struct ArticlePolicy;

impl ModelPolicy for ArticlePolicy {
    type Model = Article;

    fn visible(caller: &Caller) -> Where<Article> {
        let published = Article::PUBLISHED.eq(true);
        published.or(Self::updatable(caller)).likely()
    }

    fn updatable(caller: &Caller) -> Where<Article> {
        caller.owned_by(Article::AUTHOR_ID)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<Article> {
        caller.preset(Article::AUTHOR_ID)
    }
}

/// The author of an article tags it.
pub(crate) struct ArticleTagPolicy;

impl ModelPolicy for ArticleTagPolicy {
    type Model = ArticleTag;

    fn visible(caller: &Caller) -> Where<ArticleTag> {
        ArticleTag::ARTICLE_ID.references(ArticlePolicy::visible(caller))
    }

    fn updatable(caller: &Caller) -> Where<ArticleTag> {
        ArticleTag::ARTICLE_ID.references(ArticlePolicy::updatable(caller))
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn writable(caller: &Caller) -> Where<ArticleTag> {
        Self::updatable(caller)
    }
}
