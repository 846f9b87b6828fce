//! Access policies of the models.

use model_resource::{Caller, Columns, Draft, Model, ModelPolicy, Where};

use crate::models::{Article, Category, Comment, User};
use crate::security::ADMIN;

/// Everyone reads published articles. Authors read, change and delete their own articles, admins all.
pub struct ArticlePolicy;

impl ModelPolicy for ArticlePolicy {
    type Model = Article;

    fn visible(caller: &Caller) -> Where<Article> {
        let published = Article::PUBLISHED.eq(true);
        published.or(Self::updatable(caller)).likely()
    }

    fn updatable(caller: &Caller) -> Where<Article> {
        admins(caller).or(caller.owned_by(Article::AUTHOR_ID))
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    /// Users create articles of their own. Admins choose the author.
    fn presets(caller: &Caller) -> Draft<Article> {
        if caller.has_role(ADMIN) {
            Draft::new()
        } else {
            caller.preset(Article::AUTHOR_ID)
        }
    }
}

/// Everyone reads the comments of an article they can read, and comments on it. The article's author and admins delete
/// comments.
pub struct CommentPolicy;

impl ModelPolicy for CommentPolicy {
    type Model = Comment;

    fn visible(caller: &Caller) -> Where<Comment> {
        let readable = Comment::ARTICLE_ID.references(ArticlePolicy::visible(caller));
        admins(caller).or(readable)
    }

    /// Only admins edit comments: readers have no account, so no comment has an owner.
    fn updatable(caller: &Caller) -> Where<Comment> {
        admins(caller)
    }

    fn deletable(caller: &Caller) -> Where<Comment> {
        let below_own = Comment::ARTICLE_ID.references(caller.owned_by(Article::AUTHOR_ID));
        admins(caller).or(below_own)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

/// Everyone reads categories, and admins write them.
pub struct CategoryPolicy;

impl ModelPolicy for CategoryPolicy {
    type Model = Category;

    fn updatable(caller: &Caller) -> Where<Category> {
        admins(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role(ADMIN)
    }
}

/// Everyone sees the ids and names of users. The rest of an account is visible to its user and to admins. Only its user
/// changes it.
pub struct UserPolicy;

impl ModelPolicy for UserPolicy {
    type Model = User;

    fn updatable(caller: &Caller) -> Where<User> {
        caller.owned_by(User::ID)
    }

    fn deletable(_: &Caller) -> Where<User> {
        Where::none()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn private() -> Columns<User> {
        Columns::of(User::EMAIL)
            .and(User::FIRST_NAME)
            .and(User::LAST_NAME)
            .and(User::CREATED_AT)
            .and(User::UPDATED_AT)
    }

    fn shows_private(caller: &Caller) -> Where<User> {
        admins(caller).or(caller.owned_by(User::ID))
    }
}

/// All rows for admins, and none for everyone else.
fn admins<M: Model>(caller: &Caller) -> Where<M> {
    Where::all_if(caller.has_role(ADMIN))
}
